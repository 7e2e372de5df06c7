// What the state says of the mission as a whole and of those who carry it.
import type { ProcessIdentity } from "../protocol/agent.ts";
import type { EffectId, RunId, TaskId } from "../protocol/ids.ts";
import type { Concurrency, Limits, WorkspaceKind } from "../protocol/task.ts";
import type { EndReason } from "../protocol/view.ts";
import type { Tally } from "./evolve/used.ts";

export interface RunState {
  readonly id: RunId;
  readonly owner: ProcessIdentity;
  readonly lanes: number;
  readonly startedAt: number;
  /** There is a harness-init.sh to ask before each session. */
  readonly initScript: boolean;
  /** How its claims are named; null in journals from before there were names. */
  readonly worker: string | null;
  /** How many tasks more it may take; null: as many as there are. */
  claims: number | null;
  readonly leaseSeconds: number | null;
  /** The name of its driver; null: an outside worker, whose agent is its own. */
  readonly agent: string | null;
  sessions: number;
  settled: number;
  /** Agent sessions it has started, and what they told that they used. */
  iterations: number;
  readonly used: Pick<Tally, "nanoUsd" | "unknown"> & { tokens: number };
  /** The loop it worked on last. */
  loop: TaskId | null;
  /** Set when the run takes no new work and ends as soon as nothing is under way. */
  ending: { readonly reason: EndReason; readonly detail: string; readonly now: boolean } | null;
}

export interface EndedRun extends RunState {
  readonly reason: EndReason;
  readonly detail: string;
  readonly endedAt: number;
}

export interface MissionState {
  readonly id: string;
  readonly branch: string;
  readonly root: string;
  readonly limits: Limits;
  readonly concurrency: Concurrency;
  readonly workspace: WorkspaceKind;
  readonly createdAt: number;
  /** Top-level fields of an adopted task file that mean nothing to us. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What harness-init.sh says of the environment before the next session is counted (S1). */
export interface Preparation {
  effect: EffectId | null;
  /** Answers that were not a pass. */
  failures: number;
  passed: boolean;
}
