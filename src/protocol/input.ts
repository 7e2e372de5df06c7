// All that can be asked of, or told to, the core. Time and identity come in with the input.

import type { AdoptedPlan } from "./adopted.ts";
import type { ProcessIdentity } from "./agent.ts";
import type { BudgetWish } from "./budget.ts";
import type { Accepted, Answer } from "./effect.ts";
import type { Failure } from "./failure.ts";
import type { CommitId, EffectId, RunId, TaskId } from "./ids.ts";
import type { Left } from "./left.ts";
import type { PhaseName } from "./phases.ts";
import type {
  Checkpoint,
  Concurrency,
  Limits,
  Loop,
  Priority,
  TaskChange,
  TaskKind,
  ValidationRequest,
  WorkspaceKind,
} from "./task.ts";
import type { Told } from "./told.ts";
import type { EndReason } from "./view.ts";

/** A task as asked for: the core chooses the id when none is given. */
export interface TaskRequest {
  readonly id?: TaskId;
  readonly kind?: TaskKind;
  readonly phase?: PhaseName | null;
  readonly title: string;
  readonly description?: string;
  readonly priority?: Priority;
  readonly dependsOn?: readonly TaskId[];
  readonly validation?: ValidationRequest | null;
  readonly maxAttempts?: number;
  readonly cleanup?: string | null;
  readonly loop?: Loop | undefined;
  readonly outputs?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Which of the commands that came with an adopted plan may run. */
export type Trust =
  | { readonly how: "none" }
  | { readonly how: "all" }
  | { readonly how: "hash"; readonly hash: string };

/** What only the user may ask for is recorded with who asked. */
interface Signed {
  readonly by?: string;
}

/** What people and programs ask for; any process may send these at any time. */
export type Command =
  | {
      readonly type: "mission.create";
      readonly mission: string;
      readonly branch: string;
      readonly root: string;
      readonly limits: Limits;
      readonly concurrency?: Concurrency;
    }
  /** Refused while anybody works on the mission. */
  | { readonly type: "mission.configure"; readonly concurrency: Concurrency }
  /** Refused while an attempt is open, or when merged work is on another branch. */
  | { readonly type: "mission.place"; readonly workspace: WorkspaceKind; readonly branch: string }
  | {
      readonly type: "plan.adopt";
      readonly source: string;
      readonly plan: AdoptedPlan;
      readonly mission: string;
      readonly branch: string;
      readonly root: string;
      readonly limits: Limits;
    }
  | { readonly type: "project.trust"; readonly hash: string }
  /** Refused while a run is on. */
  | { readonly type: "trust.revoke"; readonly by: string }
  | { readonly type: "task.add"; readonly task: TaskRequest }
  | ({ readonly type: "task.edit"; readonly task: TaskId; readonly change: TaskChange } & Signed)
  | ({ readonly type: "task.retry"; readonly task: TaskId } & Signed)
  /** No task named: all that failed, are blocked or in progress. */
  | ({ readonly type: "task.reset"; readonly tasks: readonly TaskId[] } & Signed)
  | { readonly type: "mission.pause"; readonly by: string }
  | { readonly type: "mission.resume"; readonly by: string }
  | { readonly type: "mission.stop"; readonly now: boolean }
  | {
      readonly type: "approval.ask";
      readonly name: string;
      readonly task: TaskId | null;
      readonly question: string;
      readonly change?: TaskChange;
    }
  /** A loop goes on with its counters; what is not given stays as it was (I4). */
  | ({ readonly type: "loop.resume"; readonly task: TaskId } & Partial<Loop> & Signed)
  /** Something in an edited harness-tasks.json that is not done; recorded so that people see why. */
  | { readonly type: "edit.refuse"; readonly task: TaskId | null; readonly field: string; readonly why: string }
  /** Finished work was brought into a branch of the user's, or found there. */
  | ({ readonly type: "work.accept"; readonly accepted: Accepted } & Signed)
  /** Finished work was taken out of the mission branch by this commit. */
  | ({ readonly type: "work.drop"; readonly task: TaskId; readonly commit: CommitId } & Signed)
  | ({ readonly type: "approval.grant"; readonly name: string; readonly note?: string } & Signed)
  | ({ readonly type: "approval.deny"; readonly name: string; readonly note: string } & Signed);

/** A run that has not ended, and that the shell found dead, or past its lease, inside the same transaction. */
export interface Gone {
  readonly run: RunId;
  readonly how: "lost" | "lapsed";
}

/** What a run reports about itself and its effects. */
export type Report =
  | {
      readonly type: "run.start";
      readonly run: RunId;
      readonly owner: ProcessIdentity;
      readonly lanes: number;
      /** How its claims are named (L2). */
      readonly worker: string;
      /** How many tasks it may take at most; null: as many as there are. */
      readonly claims: number | null;
      /** Null: alive as long as its process is. */
      readonly leaseSeconds: number | null;
      /** The name of its driver. */
      readonly agent?: string | undefined;
      readonly gone: readonly Gone[];
      /** Whom a visible lock named that was nobody's any more and was replaced for this run (L1). */
      readonly removedStale: number | null;
      /** What keeps the programs of its attempts in their place; not given: nobody said. */
      readonly sandbox?: string | undefined;
      /** Phases of the plan that begin one after the other; null: none; not given: as it is. */
      readonly barrier?: readonly string[] | null | undefined;
      /** There is a harness-init.sh. */
      readonly initScript: boolean;
      /** Hash over what the project's own files would have us run: that script, an agent named in its configuration. */
      readonly projectHash: string | null;
      /** What the mission is to be bounded by; not given: by what it is bounded by already. */
      readonly budget?: BudgetWish | undefined;
      readonly trust: Trust;
      /** All that is not trusted yet, as people should read it, and a hash over exactly that; null if nothing. */
      readonly untrusted: { readonly hash: string; readonly what: readonly string[] } | null;
    }
  | { readonly type: "run.tick"; readonly run: RunId; readonly gone: readonly Gone[] }
  /** So long it was on since it told last, by the clock that never jumps. */
  | { readonly type: "time.pass"; readonly run: RunId; readonly ms: number }
  | {
      readonly type: "run.end";
      readonly run: RunId;
      readonly reason: EndReason;
      readonly detail: string;
      /** What nobody can go on with before a person mended it. */
      readonly failure?: Failure | undefined;
    }
  | {
      readonly type: "effect.answer";
      readonly run: RunId;
      readonly id: EffectId;
      readonly fence: number;
      readonly answer: Answer;
    }
  | {
      readonly type: "process.start";
      readonly run: RunId;
      readonly id: EffectId;
      readonly fence: number;
      readonly process: ProcessIdentity;
    }
  | { readonly type: "agent.speak"; readonly run: RunId; readonly id: EffectId; readonly fence: number }
  | {
      readonly type: "agent.checkpoint";
      readonly run: RunId;
      readonly id: EffectId;
      readonly fence: number;
      readonly checkpoint: Checkpoint;
    }
  | {
      readonly type: "agent.tell";
      readonly run: RunId;
      readonly id: EffectId;
      readonly fence: number;
      readonly told: Told;
    }
  | OutsideReport;

/** What an outside worker says of its claim; `claim` is the number it was given with it (L3, L4). */
export type OutsideReport = { readonly run: RunId; readonly task: TaskId; readonly claim: number } & (
  | { readonly type: "claim.checkpoint"; readonly checkpoint: Checkpoint }
  | { readonly type: "claim.finish"; readonly message: string; readonly left?: Left | undefined }
  | { readonly type: "claim.fail"; readonly failure: Failure; readonly left?: Left | undefined }
);

/** The core's own follow-up, asked after every accepted input until nothing more is to be decided. */
export interface Advance {
  readonly type: "advance";
  readonly run: RunId;
}

export type Asked = Command | Report;
export type Input = (Asked | Advance) & { readonly at: number };
export type { TaskChange };
