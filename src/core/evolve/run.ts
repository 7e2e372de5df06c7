// Facts about runs: who works on the mission, and until when.
import type { EventOf, Recorded } from "../../protocol/event.ts";
import { isOutsideRun, type RunId } from "../../protocol/ids.ts";
import type { State } from "../state.ts";

type RunEvent = Recorded<EventOf<"run.started" | "run.stopRequested" | "run.faulted" | "run.ended">>;

const noWork = () => ({ iterations: 0, used: { nanoUsd: 0, unknown: 0, tokens: 0 }, loop: null });

export function evolveRun(state: State, event: RunEvent): void {
  if (event.type === "run.started") {
    const { run: id, owner, lanes, initScript, worker, claims, leaseSeconds, at: startedAt } = event;
    const agent = isOutsideRun(id) ? null : (event.agent ?? "");
    const about = { id, owner, lanes, startedAt, initScript, worker, claims, leaseSeconds, agent };
    state.runs.set(id, { ...about, sessions: 0, settled: 0, ...noWork(), ending: null });
    return;
  }
  const run = state.runs.get(event.run);
  switch (event.type) {
    case "run.stopRequested":
      if (run !== undefined) run.ending = { reason: "stopped", detail: "stop was asked for", now: event.now };
      return;
    case "run.faulted":
      if (run !== undefined) run.ending = { reason: "environment", detail: event.failure.message, now: false };
      return;
    case "run.ended":
      if (run === undefined) return;
      if (event.reason === "lapsed") retireLanes(state, run.id);
      state.lastRun = { ...run, reason: event.reason, detail: event.detail, endedAt: event.at };
      state.runs.delete(event.run);
      // What an outside worker or a batch leaves open, the next one goes on with (S2).
      if (state.runs.size > 0 || isOutsideRun(run.id) || event.reason === "batch") return;
      state.session = null;
      if (state.preparation.effect === null) forgetPreparation(state);
      return;
  }
}

export function forgetPreparation(state: State): void {
  Object.assign(state.preparation, { effect: null, failures: 0, passed: false });
}

function retireLanes(state: State, run: RunId): void {
  for (const { effect } of state.pending.values()) {
    if (effect.run === run && effect.kind !== "session.prepare") state.retiredLanes.add(effect.lane);
  }
}
