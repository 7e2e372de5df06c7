// What was reached, event by event: a simulation that never comes to a place says nothing about it.

import type { Stage } from "../../src/core/attempt-state.ts";
import { phaseAwaited } from "../../src/core/barrier.ts";
import { waitsInLine } from "../../src/core/merge-line.ts";
import type { State, TaskState } from "../../src/core/state.ts";
import type { Recorded } from "../../src/protocol/event.ts";
import { WaitKind } from "../../src/protocol/wait.ts";
import type { Coverage } from "./coverage.ts";
import type { World } from "./world.ts";

/** Of all tasks in progress but one. */
const stagesOf = ({ working, tasks }: State, except?: string): readonly Stage[] =>
  [...working].flatMap((id) => {
    const phase = tasks.get(id)?.phase;
    return phase?.status === "in_progress" && id !== except ? [phase.attempt.stage] : [];
  });

export function cover({ coverage }: World, state: State, event: Recorded): void {
  coverage.hit(`event ${event.type}`);
  if (event.type === "attempt.recovered") coverage.hit(`recovery ${event.row}`);
  if (event.type === "attempt.failed") coverage.hit(`remedy ${event.failure.kind}`);
  if (event.type === "approval.asked" && event.name.startsWith("conflict-")) coverage.hit("conflict asked a person");
  if (event.type === "approval.granted" && event.name.startsWith("conflict-")) coverage.hit("conflict approved");
  if (event.type === "approval.denied" && event.name.startsWith("conflict-")) coverage.hit("conflict denied");
  if (event.type === "effect.requested" && waitsInLine(state, event.effect)) coverage.hit("conflict waited in line");
  if (event.type === "run.ended") coverage.hit(`run ended ${event.reason}`);
  if (event.type === "task.claimed" && [...state.tasks.values()].some((task) => waitsForPhase(state, task)))
    coverage.hit("phase of the plan waited for");
  coverWaits(coverage, state, event);
  coverLimits(coverage, state, event);
}

const waitsForPhase = (state: State, { spec, phase, waitingFor }: TaskState): boolean =>
  phase.status === "pending" && waitingFor === 0 && phaseAwaited(state, spec.phase) !== null;

function coverWaits(coverage: Coverage, state: State, event: Recorded): void {
  if (event.type === "run.ended" && stagesOf(state).includes("waiting")) coverage.hit("wait left to the next run");
  if (event.type === "run.faulted" && WaitKind.safeParse(event.failure.kind).success) coverage.hit("wait given up");
  const adopted = event.type === "effect.adopted" ? state.pending.get(event.id)?.effect : undefined;
  if (adopted?.kind === "agent.wait") {
    coverage.hit("wait taken over");
    if (state.runs.get(adopted.run)?.agent !== adopted.agent) coverage.hit("wait of another agent");
  }
  if (event.type !== "effect.requested" || event.effect.kind !== "agent.wait") return;
  if (stagesOf(state, event.effect.task).includes("waiting")) coverage.hit("wait joined");
}

function coverLimits(coverage: Coverage, state: State, event: Recorded): void {
  const limits = state.mission?.limits;
  if (limits === undefined) return;
  if (event.type === "task.failed" && event.final) coverage.hit("limit attempts");
  if (event.type === "attempt.failed" && event.failure.kind === "iterations_used_up") coverage.hit("limit iterations");
  if (event.type === "run.ended" && event.reason === "limit") coverage.hit("limit sessions");
  if (event.type === "session.started" && event.session > 1 && [...state.runs.values()].some((run) => run.sessions > 1))
    coverage.hit("limit tasks per session");
  if (event.type === "task.claimed" && [...state.runs.values()].some((run) => run.lanes === state.working.size))
    coverage.hit("limit lanes");
  if (event.type === "attempt.recovered" && event.row === "no-progress") {
    if (state.tasks.get(event.task)?.interruptions === limits.maxFreeInterruptions) coverage.hit("limit interruptions");
  }
}
