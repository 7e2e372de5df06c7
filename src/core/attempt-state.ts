// What the state says of an attempt that is under way: where it stands, and all that its next step depends on.
import type { Rebased } from "../protocol/conflict.ts";
import type { EventOf } from "../protocol/event.ts";
import type { Failure } from "../protocol/failure.ts";
import type { CommitId, EffectId, RunId } from "../protocol/ids.ts";
import type { Checkpoint } from "../protocol/task.ts";
import type { ToldVerb } from "../protocol/told.ts";
import type { Holder } from "./handed-in.ts";
import type { Cut, Remembered, Repeats } from "./repeats.ts";

/**
 * Where an attempt stands. Each stage waits for exactly one pending effect:
 *
 *   opening ─► working ─► committing ─► validating ─► merging ─► (task completed)
 *              ▲ ▲ │           ▲ │          │            │
 *  waiting ─► again└┘          └─┼ outdated ─┼────────────┘
 *              └── rebasing ◄────┘ conflict  ▼
 *             any stage that fails ─► (a feature's work: committing ─►) archiving ─► cleaning ─► (task failed, returned, or failed for good)
 */
export type Stage =
  | "opening"
  | "working"
  | "waiting"
  | "committing"
  | "rebasing"
  | "validating"
  | "merging"
  | "archiving"
  | "cleaning";

export interface Attempt {
  /** Counts claims, so it never repeats; charged attempts are counted in the task. */
  readonly number: number;
  readonly lane: number;
  readonly startedAt: number;
  fence: number;
  /** The fence its present owner was given it with: what an outside worker shows to prove its claim. */
  claim: number;
  /** The run that carries it; no longer among the live ones: an orphan. */
  run: RunId;
  stage: Stage;
  /** The effect this stage waits for. */
  effect: EffectId | null;
  /** Effects asked for so far in this attempt; part of their ids. */
  steps: number;
  path: string | null;
  base: CommitId | null;
  iteration: number;
  /** Why the last iteration of a loop was not enough (I1). */
  unkept: Failure | null;
  /** Why the last iteration was cut short, if it was. */
  cut: Cut | null;
  /** How often in a row its iterations came to the same. */
  repeats: Repeats;
  /** How often its brief did not fit into its agent's context. */
  overflows: number;
  /** Where the work stood when the last iteration ended; null: nobody looked. */
  standing: Remembered["standing"];
  /** Iterations that ended because the agent could not serve: they do not count (I3). */
  delays: number;
  /** The agent of this attempt has said something (V1: what came to nothing unheard is not charged). */
  spoke: boolean;
  /** Its agent was started, and nobody has told what it used. */
  untold: boolean;
  /** The user's interrupt, not a crash, ended the run that carried it. */
  interrupted: boolean;
  /** A person reset the task: whatever is answered next, the attempt is put away and nothing of it counts. */
  cancelled: boolean;
  lastCheckpoint: Checkpoint | null;
  /** How often its agent told something, by tool; and findings that were files of its workspace. */
  readonly told: Record<ToldVerb, number>;
  filed: number;
  candidate: { readonly commit: CommitId; readonly parent: CommitId } | null;
  /** Others merged first, or into the same files: from then on it commits and merges in line (G5). */
  overtaken: boolean;
  /** Since which position of the journal it stands in the merge line; null: it does not. */
  place: number | null;
  /** How often its work was put onto a new head because of a conflict. */
  repairs: number;
  /** What an iteration has to repair, until a candidate shows that it did. `cut`: that iteration was lost. */
  conflict: (Omit<Rebased, "base"> & { readonly cut: boolean }) | null;
  /** Whose hands it has left for ours, if an outside worker's. */
  handedIn: Holder | null;
  /** Set once the attempt has failed and only its archive is awaited. */
  failure: { readonly failure: Failure; readonly costs: Costs } | null;
}

/** What a failed attempt is charged to. */
export type Costs = EventOf<"attempt.failed">["costs"];

/** What becomes of the one that is merged. */
export interface Completed {
  readonly status: "completed";
  /** Null: it was completed before we knew it. */
  readonly commit: CommitId | null;
  readonly at: number;
  /** By its agent's word alone. */
  readonly unverified?: true;
}
