// `.harness/hook.json`: all that an agent hook must know, so small that reading it costs nothing (rule H).
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ReadonlyState } from "../../core/state.ts";
import { statsOf } from "../../core/stats.ts";
import { workerOf } from "../../core/worker.ts";
import { writeFileAtomic } from "../../kit/atomic-file.ts";
import { oneLine } from "../../kit/escape.ts";
import type { TaskId } from "../../protocol/ids.ts";
import { hookFile } from "../place.ts";
import { codeOf } from "./durable-file.ts";
import { isWorkLeft } from "./marker.ts";
import type { Stamp } from "./tasks-view.ts";

export const maxHookBytes = 8_192;
const maxOwned = 64;
const maxTitle = 160;
const maxOwner = 96;

export interface HookFacts {
  readonly v: 1;
  readonly mission: string | null;
  /** Of the journal. */
  readonly position: number;
  readonly counts: Readonly<Record<"blocked" | "completed" | "failed" | "in_progress" | "pending", number>>;
  readonly total: number;
  /** What would be claimed next; null also while all that is left is under way or waits. */
  readonly next: { readonly id: string; readonly title: string } | null;
  /** Something is pending, in progress or may be tried again. */
  readonly workLeft: boolean;
  readonly lastStats: string | null;
  readonly limits: {
    readonly sessions: number;
    readonly maxSessions: number;
    readonly sessionsUsedUp: boolean;
    /** Attempts settled in the open session. */
    readonly settled: number;
    readonly maxTasksPerSession: number;
    readonly sessionFull: boolean;
  };
  readonly inProgress: readonly { readonly task: string; readonly owner: string | null }[];
  /** How many tasks in progress found no room above. */
  readonly inProgressLeftOff: number;
  /** The tasks file these facts speak of; null, or another one than is there: read that instead. */
  readonly tasksFile: Stamp | null;
}

/**
 * What is said of a state, once the tasks file is known that shows it; the answer no longer looks at the state.
 * At most `maxHookBytes` long, however large the plan is.
 */
export function renderHook(state: ReadonlyState, lastStats: string | null): (tasksFile: Stamp | null) => string {
  const facts = factsOf(state, lastStats);
  let room = maxHookBytes - Buffer.byteLength(textOf({ ...facts, tasksFile: longestStamp }));
  const inProgress: { task: string; owner: string | null }[] = [];
  for (const task of state.working) {
    const entry = { task, owner: ownerOf(state, task) };
    room -= Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (inProgress.length === maxOwned || room < 0) break;
    inProgress.push(entry);
  }
  const inProgressLeftOff = state.working.size - inProgress.length;
  return (tasksFile) => textOf({ ...facts, inProgress, inProgressLeftOff, tasksFile });
}

function ownerOf(state: ReadonlyState, task: TaskId): string | null {
  const phase = state.tasks.get(task)?.phase;
  const run = phase?.status === "in_progress" ? state.runs.get(phase.attempt.run) : undefined;
  return run === undefined ? null : oneLine(workerOf(run), maxOwner);
}

const longestStamp: Stamp = { size: Number.MAX_SAFE_INTEGER, mtimeMs: -Number.MAX_VALUE };
const textOf = (facts: HookFacts): string => `${JSON.stringify(facts)}\n`;

function factsOf(state: ReadonlyState, lastStats: string | null): HookFacts {
  const { total, blocked, completed, failed, pending, inProgress } = statsOf(state);
  const next = state.tasks.get(state.ready.peek() ?? "");
  const { maxSessions, maxTasksPerSession } = state.mission?.limits ?? { maxSessions: 0, maxTasksPerSession: 0 };
  const settled = state.session?.settled ?? 0;
  return {
    v: 1,
    mission: state.mission && oneLine(state.mission.id, maxTitle),
    position: state.position,
    counts: { blocked, completed, failed, in_progress: inProgress, pending },
    total,
    next: next === undefined ? null : { id: next.spec.id, title: oneLine(next.spec.title, maxTitle) },
    workLeft: isWorkLeft(state),
    lastStats,
    limits: {
      sessions: state.sessions,
      maxSessions,
      sessionsUsedUp: state.sessions >= maxSessions,
      settled,
      maxTasksPerSession,
      sessionFull: settled >= maxTasksPerSession,
    },
    inProgress: [],
    inProgressLeftOff: state.working.size,
    tasksFile: null,
  };
}

export async function writeHook(root: string, text: string): Promise<void> {
  // Not with its parents: a project that was removed must not come back as an empty folder.
  await mkdir(join(root, ".harness")).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  await writeFileAtomic(hookFile(root), text, { mode: 0o644 });
}
