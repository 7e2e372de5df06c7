// All that can be asked of, or told to, the core. Time and identity come in with the input.
import type { ProcessIdentity } from "./agent.ts";
import type { Answer } from "./effect.ts";
import type { EffectId, RunId, TaskId } from "./ids.ts";
import type { Checkpoint, Limits, Priority, Validation } from "./task.ts";
import type { EndReason } from "./view.ts";

/** A task as asked for: the core chooses the id when none is given. */
export interface TaskRequest {
  readonly id?: TaskId;
  readonly title: string;
  readonly description?: string;
  readonly priority?: Priority;
  readonly dependsOn?: readonly TaskId[];
  readonly validation?: Validation | null;
  readonly maxAttempts?: number;
}

/** What people and programs ask for; any process may send these at any time. */
export type Command =
  | { readonly type: "mission.create"; readonly mission: string; readonly branch: string; readonly limits: Limits }
  | { readonly type: "task.add"; readonly task: TaskRequest }
  | { readonly type: "mission.pause"; readonly by: string }
  | { readonly type: "mission.resume"; readonly by: string }
  | { readonly type: "mission.stop"; readonly now: boolean }
  | { readonly type: "approval.ask"; readonly name: string; readonly task: TaskId | null; readonly question: string }
  | { readonly type: "approval.grant"; readonly name: string }
  | { readonly type: "approval.deny"; readonly name: string; readonly note: string };

/** What a run reports about itself and its effects. */
export type Report =
  | {
      readonly type: "run.start";
      readonly run: RunId;
      readonly owner: ProcessIdentity;
      readonly lanes: number;
      /** The shell looked for the recorded owner of a run that has not ended: is it alive? */
      readonly previousAlive: boolean;
    }
  | { readonly type: "run.tick"; readonly run: RunId }
  | { readonly type: "run.end"; readonly run: RunId; readonly reason: EndReason; readonly detail: string }
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
    };

/** The core's own follow-up, asked after every accepted input until nothing more is to be decided. */
export interface Advance {
  readonly type: "advance";
  readonly run: RunId;
}

export type Asked = Command | Report;
export type Input = (Asked | Advance) & { readonly at: number };
