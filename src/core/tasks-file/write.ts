// The state as harness-tasks.json (rules F2, F3): fields of other tools come back as they were, and never replace ours.
import { isoTime } from "../../kit/iso-time.ts";
import { PhaseName } from "../../protocol/phases.ts";
import { TaskKind } from "../../protocol/task.ts";
import { type TaskEntry, type TasksFile, tasksFileVersion } from "../../protocol/tasks-file.ts";
import { naturalKey } from "../ready-heap.ts";
import type { ReadonlyState, ReadonlyTask } from "../state.ts";
import { workerOf } from "../worker.ts";
import {
  ownFailureFields,
  ownFileFields,
  ownSessionFields,
  ownTaskFields,
  ownValidationFields,
  taskFields,
} from "./fields.ts";
import { type Fields, isFields, unknownFields } from "./reading.ts";

type StoredValidation = NonNullable<TaskEntry["validation"]>;

/** Ends with a newline; equal states give equal bytes. */
export const renderTasksFile = (state: ReadonlyState, shown: Shown = (text) => text): string =>
  `${JSON.stringify(tasksFileOf(state, shown), null, 2)}\n`;

/** How a command is written: it is run as it is, and shown without secrets. */
export type Shown = (command: string) => string;

/** Tasks in the natural order of their ids: the order of a map is no fact of the journal. */
export function tasksFileOf(state: ReadonlyState, shown: Shown = (text) => text): TasksFile {
  const { mission } = state;
  if (mission === null) throw new Error("there is no task file without a mission");
  const tasks = [...state.tasks.values()]
    .map((task) => ({ task, key: naturalKey(task.spec.id) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const once = remembered(shown);
  return {
    version: tasksFileVersion,
    created: isoTime(mission.createdAt),
    session_config: {
      concurrency_mode: mission.concurrency,
      max_tasks_per_session: mission.limits.maxTasksPerSession,
      max_sessions: mission.limits.maxSessions,
      ...nested(mission.extra, "session_config", ownSessionFields),
    },
    tasks: tasks.map(({ task }) => taskEntry(task, state, once)),
    session_count: state.sessions,
    last_session: momentOrNull(state.lastSessionAt),
    ...unknownFields(mission.extra, ownFileFields),
  };
}

/** Many tasks have the same command. */
function remembered(shown: Shown): Shown {
  const known = new Map<string, string>();
  return (command) => {
    const found = known.get(command) ?? shown(command);
    known.set(command, found);
    return found;
  };
}

function taskEntry(task: ReadonlyTask, state: ReadonlyState, shown: Shown): TaskEntry {
  const { spec } = task;
  const ours: TaskEntry = {
    id: spec.id,
    title: wellFormed(spec.title),
    status: task.phase.status === "blocked" ? "failed" : task.phase.status,
    priority: spec.priority,
    depends_on: [...spec.dependsOn],
    attempts: task.attempts,
    max_attempts: spec.maxAttempts,
    started_at_commit: task.startedAtCommit,
    ...validationOf(task, shown),
    on_failure: {
      cleanup: spec.cleanup === null ? null : wellFormed(shown(spec.cleanup)),
      ...nested(spec.extra, "on_failure", ownFailureFields),
    },
    error_log: errorsOf(task),
    checkpoints: task.checkpoints.map(({ step, total, description, at }) => ({
      step,
      total,
      description: wellFormed(description),
      timestamp: isoTime(at),
    })),
    completed_at: momentOrNull(task.completedAt),
    ...(task.phase.status === "completed" && task.phase.unverified ? { unverified: true } : {}),
    ...claimOf(task, state),
    ...wordsOf(spec),
    ...(spec.description === "" ? {} : { description: wellFormed(spec.description) }),
    ...(spec.outputs === undefined || spec.outputs.length === 0 ? {} : { output_artifacts: [...spec.outputs] }),
    ...(task.failedAt === null ? {} : { failed_at: isoTime(task.failedAt) }),
    ...(task.interruptions === 0 ? {} : { interruptions: task.interruptions }),
    ...(task.phase.status === "blocked" ? { blocked_by: task.phase.by } : {}),
  };
  return inOrder(ours, unknownFields(spec.extra, ownTaskFields));
}

/** What was written there and is none of our words comes back, unless we have something to say. */
function wordsOf({ kind, phase, extra }: ReadonlyTask["spec"]): Pick<TaskEntry, "kind" | "phase"> {
  const found = {
    ...(extra.kind === undefined || TaskKind.safeParse(extra.kind).success ? {} : { kind: extra.kind }),
    ...(extra.phase === undefined || PhaseName.safeParse(extra.phase).success ? {} : { phase: extra.phase }),
  } as Pick<TaskEntry, "kind" | "phase">;
  return { ...found, ...(kind === "task" ? {} : { kind }), ...(phase === null ? {} : { phase }) };
}

function validationOf({ spec }: ReadonlyTask, shown: Shown): Pick<TaskEntry, "validation"> {
  const { validation, extra } = spec;
  if (validation === null) {
    // It came without a command: nothing of ours is in it, and it goes back as it was.
    return isFields(extra.validation) ? { validation: extra.validation as StoredValidation } : {};
  }
  return {
    validation: {
      command: wellFormed(shown(validation.command)),
      timeout_seconds: validation.timeoutMs / 1_000,
      ...(validation.quick === null ? {} : { quick: wellFormed(shown(validation.quick)) }),
      ...nested(extra, "validation", ownValidationFields),
    },
  };
}

/** Blocked is computed, but readers of the seed protocol know it by its entry (K2). */
function errorsOf({ phase, errorLog }: ReadonlyTask): string[] {
  const errors = errorLog.map(wellFormed);
  if (phase.status !== "blocked") return errors;
  const entry = `[DEPENDENCY] Blocked by failed ${phase.by}`;
  return errors.includes(entry) ? errors : [...errors, entry];
}

function claimOf({ phase, checkpoints }: ReadonlyTask, state: ReadonlyState): Partial<TaskEntry> {
  if (phase.status !== "in_progress") return {};
  const { attempt } = phase;
  const run = state.runs.get(attempt.run) ?? (state.lastRun?.id === attempt.run ? state.lastRun : null);
  return {
    claimed_by: run === null ? attempt.run : workerOf(run),
    claimed_at: isoTime(attempt.startedAt),
    ...leaseOf(run?.leaseSeconds ?? null, Math.max(attempt.startedAt, checkpoints.at(-1)?.at ?? 0)),
    stage: attempt.stage,
    fence: attempt.fence,
  };
}

/** From the last sign of life in the journal: heartbeats prolong it and leave no event, so it is never too late. */
const leaseOf = (seconds: number | null, since: number): Partial<TaskEntry> =>
  seconds === null ? {} : { lease_expires_at: isoTime(since + seconds * 1_000) };

const orderOfFields = new Map(taskFields.map((name, place) => [name, place]));
const placeOf = (name: string): number => orderOfFields.get(name) ?? taskFields.length;

/** Known fields in the order of the protocol, then the others as they came. */
function inOrder(ours: TaskEntry, others: Fields): TaskEntry {
  const entry = { ...ours, ...others };
  if (isInOrder(Object.keys(entry))) return entry;
  return Object.fromEntries(Object.entries(entry).sort(([a], [b]) => placeOf(a) - placeOf(b))) as TaskEntry;
}

const isInOrder = (names: readonly string[]): boolean =>
  names.every((name, at) => at === 0 || placeOf(names[at - 1] ?? "") <= placeOf(name));

/** Unknown fields inside an object of ours. */
function nested(extra: Fields, name: string, known: ReadonlySet<string>): Record<string, unknown> {
  const found = extra[name];
  return isFields(found) ? unknownFields(found, known) : {};
}

const momentOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));

/** A file with half a character in it would be refused when it is read. */
const wellFormed = (text: string): string => text.toWellFormed();
