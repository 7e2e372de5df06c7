// Facts about tasks: where they stand in the plan.
import type { AdoptedTask } from "../../protocol/adopted.ts";
import type { EventOf, Recorded } from "../../protocol/event.ts";
import { categoryOf } from "../../protocol/failure.ts";
import type { TaskSpec } from "../../protocol/task.ts";
import type { Attempt } from "../attempt-state.ts";
import { noRepeats } from "../repeats.ts";
import { beginRowAnew, type Outcome, settleInRound } from "../rounds.ts";
import type { Phase, State, TaskState } from "../state.ts";
import { keepAnswer } from "./handed-in.ts";
import { addToPlan, enterPhase, releaseDependents, respecify, taskOf } from "./plan-index.ts";
import { noTally } from "./used.ts";

type TaskEvent = Recorded<
  EventOf<
    | "task.adopted"
    | "task.added"
    | "task.edited"
    | "task.retried"
    | "task.reset"
    | "task.unblocked"
    | "task.claimed"
    | "task.completed"
    | "task.failed"
    | "task.returned"
    | "task.abandoned"
    | "task.blocked"
    | "loop.revised"
  >
>;

/** What a person says of a task: how it goes on is another question from then on. */
const byPerson: ReadonlySet<TaskEvent["type"]> = new Set(["task.edited", "task.retried", "task.reset", "loop.revised"]);

export function evolveTask(state: State, event: TaskEvent): void {
  if (event.type === "task.added") {
    if (event.spec.extra.proposed_by === undefined) beginRowAnew(state.rounds);
    return addToPlan(state, freshTask(event.spec));
  }
  if (event.type === "task.adopted") return adopt(state, event.task, event.at);
  if (byPerson.has(event.type)) beginRowAnew(state.rounds);
  if (event.type === "task.edited") return respecify(state, taskOf(state, event.spec.id), event.spec);
  const task = taskOf(state, event.task);
  switch (event.type) {
    case "task.retried":
      task.spec = { ...task.spec, maxAttempts: event.maxAttempts };
      task.countFrom = event.iterations ?? 0;
      return enterPhase(state, task, { status: "failed", at: task.failedAt ?? event.at, final: false });
    case "task.reset":
      state.counts.attempts -= task.attempts;
      task.attempts = 0;
      task.interruptions = 0;
      task.countFrom = 0;
      task.lastCandidate = null;
      task.phasesPassed = 0;
      return enterPhase(state, task, { status: "pending" });
    case "task.unblocked":
      return enterPhase(state, task, { status: "pending" });
    case "task.claimed":
      task.claims = event.attempt;
      state.fence = event.fence;
      enterPhase(state, task, { status: "in_progress", attempt: freshAttempt(event, task.countFrom) });
      task.iterations = task.countFrom;
      task.countFrom = 0;
      return;
    case "loop.revised":
      task.spec = { ...task.spec, loop: event.loop };
      return;
    case "task.completed":
      task.attempts += 1;
      state.counts.attempts += 1;
      task.completedAt = event.at;
      settle(state, task, "completed");
      keepAnswer(task, "completed");
      enterPhase(state, task, {
        ...{ status: "completed", commit: event.commit, at: event.at },
        ...(event.unverified && { unverified: true }),
      });
      return releaseDependents(state, event.task);
    case "task.failed":
      task.failedAt = event.at;
      settle(state, task, isCharged(task) ? "charged" : null);
      keepAnswer(task, "failed");
      return enterPhase(state, task, { status: "failed", at: event.at, final: event.final });
    case "task.returned":
      settle(state, task, event.stale === true ? "nothing" : null);
      keepAnswer(task, "pending");
      return enterPhase(state, task, { status: "pending" });
    case "task.abandoned":
      task.failures.push(event.failure);
      task.errorLog.push(`[${categoryOf(event.failure.kind)}] ${event.failure.message}`);
      task.failedAt = event.at;
      return enterPhase(state, task, { status: "failed", at: event.at, final: true });
    case "task.blocked":
      return enterPhase(state, task, { status: "blocked", by: event.by });
  }
}

export const freshTask = (spec: TaskSpec): TaskState => ({
  spec,
  phase: { status: "pending" },
  attempts: 0,
  claims: 0,
  interruptions: 0,
  iterations: 0,
  countFrom: 0,
  used: noTally(),
  agent: null,
  checkpoints: [],
  failures: [],
  errorLog: [],
  phasesPassed: 0,
  startedAtCommit: null,
  lastCandidate: null,
  accepted: null,
  dropped: null,
  completedAt: null,
  failedAt: null,
  waitingFor: 0,
  holds: 0,
  notes: [],
  answers: [],
  handoff: null,
  handedIn: null,
  collected: [],
  refused: null,
});

function adopt(state: State, found: AdoptedTask, at: number): void {
  const { spec, attempts, interruptions, errorLog, checkpoints, startedAtCommit, completedAt, failedAt } = found;
  const phase: Phase =
    found.status === "completed"
      ? { status: "completed", commit: null, at: completedAt ?? at }
      : found.status === "failed"
        ? { status: "failed", at: failedAt ?? at, final: attempts >= spec.maxAttempts }
        : { status: "pending" };
  // Copied: the fold owns and changes what it keeps.
  addToPlan(state, {
    ...freshTask(spec),
    phase,
    attempts,
    interruptions,
    errorLog: [...errorLog],
    checkpoints: [...checkpoints],
    startedAtCommit,
    completedAt,
    failedAt,
  });
  state.counts.attempts += attempts;
  state.counts.checkpoints += checkpoints.length;
  if (spec.validation === null && spec.cleanup === null) return;
  state.foreign.add(spec.id);
  state.untrusted.add(spec.id);
}

const isCharged = ({ phase }: TaskState): boolean =>
  phase.status === "in_progress" && phase.attempt.failure?.costs === "attempt";

/** Null: it belongs to no round. */
function settle(state: State, { phase }: TaskState, outcome: Outcome | null): void {
  if (state.session !== null) state.session.settled += 1;
  if (phase.status !== "in_progress") return;
  const run = state.runs.get(phase.attempt.run);
  if (run !== undefined) run.settled += 1;
  if (outcome !== null) settleInRound(state.rounds, run?.lanes ?? 1, outcome);
}

const freshAttempt = (event: Recorded<EventOf<"task.claimed">>, iteration: number): Attempt => ({
  number: event.attempt,
  lane: event.lane,
  startedAt: event.at,
  fence: event.fence,
  claim: event.fence,
  run: "",
  stage: "opening",
  effect: null,
  steps: 0,
  path: null,
  base: null,
  iteration,
  delays: 0,
  unkept: null,
  cut: null,
  repeats: noRepeats,
  overflows: 0,
  standing: null,
  spoke: false,
  untold: false,
  interrupted: false,
  cancelled: false,
  lastCheckpoint: null,
  told: { note: 0, handoff: 0, inbox_add: 0, ask_human: 0, add_task: 0 },
  filed: 0,
  candidate: null,
  overtaken: false,
  place: null,
  repairs: 0,
  conflict: null,
  handedIn: null,
  failure: null,
});
