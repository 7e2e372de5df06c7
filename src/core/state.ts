// The folded journal. The fold owns and mutates it; everything else sees it read-only.
import type { AgentIdentity } from "../protocol/agent.ts";
import type { PendingEffect } from "../protocol/effect.ts";
import type { EventOf } from "../protocol/event.ts";
import type { Failure } from "../protocol/failure.ts";
import type { CommitId, EffectId, RunId, TaskId } from "../protocol/ids.ts";
import type { Mark, TaskSpec } from "../protocol/task.ts";
import type { KeptWait } from "../protocol/wait.ts";
import type { Attempt, Completed } from "./attempt-state.ts";
import type { DeepReadonly } from "./deep-readonly.ts";
import type { Tally } from "./evolve/used.ts";
import type { LastHandIn } from "./handed-in.ts";
import type { Ledger } from "./ledger.ts";
import type { EndedRun, MissionState, Preparation, RunState } from "./mission-state.ts";
import type { AnsweredQuestion, Approval, Found, Note } from "./question.ts";
import type { ReadyHeap } from "./ready-heap.ts";
import type { Rounds } from "./rounds.ts";

export type Phase =
  | { readonly status: "pending" }
  | { readonly status: "in_progress"; readonly attempt: Attempt }
  | Completed
  | { readonly status: "failed"; readonly at: number; readonly final: boolean }
  | { readonly status: "blocked"; readonly by: TaskId };

export interface TaskState {
  spec: TaskSpec;
  phase: Phase;
  /** Charged attempts: what `maxAttempts` bounds. */
  attempts: number;
  claims: number;
  /** Attempts that ended before the agent said anything, not charged. */
  interruptions: number;
  /** Agent sessions of its last attempt that count (I3). */
  iterations: number;
  /** Where its next attempt goes on counting (I4). */
  countFrom: number;
  readonly used: Tally;
  /** Who did its last iteration, as far as that was told. */
  agent: AgentIdentity | null;
  readonly checkpoints: Mark[];
  readonly failures: Failure[];
  /** As the task file shows it: one `[CATEGORY] text` per charged failure, and what was adopted. */
  readonly errorLog: string[];
  /** Phases of a loop whose gates have passed: the next one is what it is in (I8). */
  phasesPassed: number;
  /** Base of the last attempt. */
  startedAtCommit: string | null;
  /** What was last handed to a gate, or kept of a failed attempt: a feature goes on with it (A1). */
  lastCandidate: { readonly commit: CommitId; readonly parent: CommitId } | null;
  /** The commit with which it came into the user's branch. */
  accepted: CommitId | null;
  /** The commit by which its work was taken out of the mission branch. */
  dropped: CommitId | null;
  completedAt: number | null;
  failedAt: number | null;
  /** Dependencies not completed yet. */
  waitingFor: number;
  /** Open questions that hold this task. */
  holds: number;
  /** What its agents told for those that come after them: the last remarks, answers, and the last handoff. */
  readonly notes: Note[];
  readonly answers: AnsweredQuestion[];
  handoff: Omit<EventOf<"agent.handedOff">, "type" | "task" | "hash"> | null;
  /** The last work that an outside worker handed in, and what came of it. */
  handedIn: LastHandIn | null;
  /** What was taken from, or refused in, its workspaces: by hash, newest last, so that nothing is taken twice. */
  readonly collected: string[];
  /** What was wrong with what an agent left, until a later one leaves a handoff. */
  refused: Omit<EventOf<"left.refused">, "type" | "task"> | null;
}

export interface State {
  position: number;
  at: number;
  mission: MissionState | null;
  paused: boolean;
  readonly tasks: Map<TaskId, TaskState>;
  readonly pending: Map<EffectId, PendingEffect>;
  readonly approvals: Map<string, Approval>;
  /** The last fence given out; it only grows (L3). */
  fence: number;
  /** Runs that have not ended; more than one only in concurrent mode. */
  readonly runs: Map<RunId, RunState>;
  lastRun: EndedRun | null;
  /** By agent: the present wait, or the last one since when it has not served. */
  readonly waits: Map<string, KeptWait>;
  /** By all tasks together. */
  readonly used: Tally;
  /** What they may use, and what is charged to it; null: nothing is capped. */
  ledger: Ledger | null;
  sessions: number;
  /** Open session: attempts settled in it. */
  session: { readonly number: number; settled: number } | null;
  readonly rounds: Rounds;
  /** Phases of the plan that begin one after the other (I8); null: only dependencies bind. */
  barrier: readonly string[] | null;
  readonly preparation: Preparation;
  /** How what runs in a workspace is kept in it; null before the first run. */
  sandbox: string | null;
  /** Hash of what the project's own files may have us run. */
  trustedProject: string | null;
  /** Tasks whose commands came with an adopted plan, and those of them that were not trusted yet (rule T). */
  readonly foreign: Set<TaskId>;
  readonly untrusted: Set<TaskId>;
  lastSessionAt: number | null;
  /** The commit of the user's branch that the mission branch was not brought up to (told once). */
  stayedBehind: CommitId | null;
  /** Something keeps finished work out of the user's branch, and that was told. */
  held: boolean;
  /** Findings and proposals of all agents so far. */
  readonly told: { findings: number; proposals: number; handoffs: number };
  /** The last findings, as a brief lists them; their texts are in the journal and in the inbox. */
  readonly research: Found[];
  /** Lanes whose owner was cut off by its lease: it may wake up and write there, so nobody else is sent there. */
  readonly retiredLanes: Set<number>;

  // Indexes: rebuilt from the above when a snapshot is loaded, never stored.
  /** By the beginning of an id such as `task-`: the highest number that follows it (K5). */
  readonly numbers: Map<string, number>;
  readonly dependents: Map<TaskId, TaskId[]>;
  readonly ready: ReadyHeap;
  /** Tasks in progress, in the order of their claims. */
  readonly working: Set<TaskId>;
  /** By phase of the plan: tasks that are not completed. */
  readonly openInPhase: Map<string, number>;
  /** Unfinished tasks that nothing could judge (A3). */
  readonly unjudged: Set<TaskId>;
  readonly counts: {
    pending: number;
    completed: number;
    failed: number;
    blocked: number;
    attempts: number;
    checkpoints: number;
  };
}

/** What `decide` and the views see. */
export type ReadonlyState = DeepReadonly<State>;
export type ReadonlyTask = DeepReadonly<TaskState>;
export type ReadonlyRun = DeepReadonly<RunState>;
export type ReadonlyAttempt = DeepReadonly<Attempt>;
