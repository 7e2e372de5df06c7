// Facts about the mission as a whole: its life, runs, sessions, open questions.
import type { EventOf, Recorded } from "../../protocol/event.ts";
import type { State } from "../state.ts";
import { refreshReady, taskOf } from "./plan-index.ts";

type MissionEvent = Recorded<
  EventOf<
    | "mission.created"
    | "plan.adopted"
    | "commands.trusted"
    | "project.trusted"
    | "mission.paused"
    | "mission.resumed"
    | "run.started"
    | "run.stopRequested"
    | "run.faulted"
    | "run.ended"
    | "session.checked"
    | "session.started"
    | "session.ended"
    | "approval.asked"
    | "approval.granted"
    | "approval.denied"
  >
>;

export function evolveMission(state: State, event: MissionEvent): void {
  switch (event.type) {
    case "mission.created":
      state.mission = {
        id: event.mission,
        branch: event.branch,
        root: event.root,
        limits: event.limits,
        createdAt: event.at,
        extra: {},
      };
      return;
    case "plan.adopted":
      if (state.mission !== null) {
        const { limits, createdAt, extra } = event;
        state.mission = { ...state.mission, limits, createdAt, extra };
      }
      state.sessions = event.sessions;
      state.lastSessionAt = event.lastSessionAt;
      return;
    case "commands.trusted":
      state.untrusted.clear();
      state.trustedProject = event.project ?? state.trustedProject;
      return;
    case "project.trusted":
      state.trustedProject = event.hash;
      return;
    case "mission.paused":
      state.paused = true;
      return;
    case "mission.resumed":
      state.paused = false;
      return;
    case "run.started":
      state.run = {
        id: event.run,
        owner: event.owner,
        lanes: event.lanes,
        startedAt: event.at,
        initScript: event.initScript,
        sessions: 0,
        settled: 0,
        ending: null,
      };
      return;
    case "run.stopRequested":
      if (state.run !== null) state.run.ending = { reason: "stopped", detail: "stop was asked for", now: event.now };
      return;
    case "run.faulted":
      if (state.run !== null) state.run.ending = { reason: "environment", detail: event.failure.message, now: false };
      return;
    case "run.ended":
      if (state.run !== null) {
        state.lastRun = { ...state.run, reason: event.reason, detail: event.detail, endedAt: event.at };
      }
      state.run = null;
      state.session = null;
      if (state.preparation.effect === null) forgetPreparation(state);
      return;
    case "session.checked":
      state.preparation.passed = event.passed;
      if (!event.passed) state.preparation.failures += 1;
      return;
    case "session.started":
      state.sessions = event.session;
      state.session = { number: event.session, settled: 0 };
      if (state.run !== null) state.run.sessions += 1;
      return;
    case "session.ended":
      state.session = null;
      forgetPreparation(state);
      state.lastSessionAt = event.at;
      return;
    case "approval.asked":
      state.approvals.set(event.name, {
        name: event.name,
        task: event.task,
        question: event.question,
        change: event.change,
      });
      return hold(state, event.task, 1);
    case "approval.granted":
    case "approval.denied": {
      const approval = state.approvals.get(event.name);
      state.approvals.delete(event.name);
      return hold(state, approval?.task ?? null, -1);
    }
  }
}

function forgetPreparation(state: State): void {
  Object.assign(state.preparation, { effect: null, failures: 0, passed: false });
}

function hold(state: State, id: string | null, change: 1 | -1): void {
  if (id === null) return;
  const task = taskOf(state, id);
  task.holds += change;
  refreshReady(state, task);
}
