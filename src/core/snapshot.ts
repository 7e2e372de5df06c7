// The folded state as text, and back. Only facts are stored; the indexes are rebuilt (a snapshot is a cache).

import { emptyState } from "./empty-state.ts";
import { addToPlan } from "./evolve/plan-index.ts";
import type { State, TaskState } from "./state.ts";

/** Raised whenever the shape of the state changes: an older snapshot is then ignored and the journal folded whole. */
export const snapshotFormat = 25;

type Facts = Omit<
  State,
  | "tasks"
  | "pending"
  | "approvals"
  | "runs"
  | "waits"
  | "retiredLanes"
  | "foreign"
  | "numbers"
  | "dependents"
  | "ready"
  | "working"
  | "openInPhase"
  | "untrusted"
  | "unjudged"
  | "counts"
>;
interface Stored {
  readonly format: number;
  readonly facts: Facts;
  readonly tasks: readonly TaskState[];
  readonly pending: readonly [string, never][];
  readonly approvals: readonly [string, never][];
  readonly runs: readonly [string, never][];
  readonly waits: readonly [string, never][];
  readonly retiredLanes: readonly number[];
  readonly foreign: readonly string[];
  readonly untrusted: readonly string[];
}

export function writeSnapshot(state: State): string {
  const {
    tasks,
    numbers,
    pending,
    approvals,
    runs,
    waits,
    retiredLanes,
    foreign,
    dependents,
    ready,
    working,
    openInPhase,
    untrusted,
    unjudged,
    counts,
    ...facts
  } = state;
  return JSON.stringify({
    format: snapshotFormat,
    facts,
    // Tasks in progress last and in the order of their claims, for that order is part of the state.
    tasks: [
      ...[...tasks.values()].filter((task) => !working.has(task.spec.id)),
      ...[...working].map((id) => tasks.get(id)),
    ],
    pending: [...pending],
    approvals: [...approvals],
    runs: [...runs],
    waits: [...waits],
    retiredLanes: [...retiredLanes],
    foreign: [...foreign],
    untrusted: [...untrusted],
  });
}

/** Null when the text was written by another version of the fold. */
export function readSnapshot(text: string): State | null {
  const stored = JSON.parse(text) as Stored;
  if (stored.format !== snapshotFormat) return null;
  const state: State = {
    ...emptyState(),
    ...stored.facts,
    pending: new Map(stored.pending),
    approvals: new Map(stored.approvals),
    runs: new Map(stored.runs),
    waits: new Map(stored.waits),
    retiredLanes: new Set(stored.retiredLanes),
    foreign: new Set(stored.foreign),
    untrusted: new Set(stored.untrusted),
  };
  // Two passes: in-degrees can be counted only when every dependency is there.
  for (const task of stored.tasks) state.tasks.set(task.spec.id, task);
  for (const task of stored.tasks) {
    addToPlan(state, task);
    state.counts.attempts += task.attempts;
    state.counts.checkpoints += task.checkpoints.length;
  }
  return state;
}
