// Facts about the mission as a whole: its life, runs, sessions, open questions.
import type { EventOf, Recorded } from "../../protocol/event.ts";
import { beginRowAnew } from "../rounds.ts";
import type { State } from "../state.ts";
import { refreshPhases, refreshReady, taskOf } from "./plan-index.ts";
import { evolveRun, forgetPreparation } from "./run.ts";
import { countQuestion, noteAnswer } from "./told.ts";

type MissionEvent = Recorded<
  EventOf<
    | "mission.created"
    | "mission.configured"
    | "mission.placed"
    | "plan.adopted"
    | "commands.trusted"
    | "project.trusted"
    | "trust.revoked"
    | "sandbox.changed"
    | "barrier.changed"
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
    | "approval.withdrawn"
    | "branch.caughtUp"
    | "branch.stayed"
    | "work.accepted"
    | "work.dropped"
    | "work.held"
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
        concurrency: event.concurrency,
        workspace: "clone",
        createdAt: event.at,
        extra: {},
      };
      return;
    case "mission.configured":
      if (state.mission !== null) state.mission = { ...state.mission, concurrency: event.concurrency };
      return;
    case "mission.placed": {
      const { workspace, branch } = event;
      if (state.mission !== null) state.mission = { ...state.mission, workspace, branch };
      return;
    }
    case "plan.adopted":
      if (state.mission !== null) {
        const { limits, concurrency, createdAt, extra } = event;
        state.mission = { ...state.mission, limits, concurrency, createdAt, extra };
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
    case "sandbox.changed":
      state.sandbox = event.sandbox;
      return;
    case "barrier.changed":
      state.barrier = event.phases;
      return refreshPhases(state);
    case "trust.revoked":
      state.trustedProject = null;
      for (const id of state.foreign) state.untrusted.add(id);
      return;
    case "mission.paused":
      state.paused = true;
      return;
    case "mission.resumed":
      state.paused = false;
      return beginRowAnew(state.rounds);
    case "run.started":
    case "run.stopRequested":
    case "run.faulted":
    case "run.ended":
      return evolveRun(state, event);
    case "session.checked":
      state.preparation.passed = event.passed;
      if (!event.passed) state.preparation.failures += 1;
      return;
    case "session.started":
      state.sessions = event.session;
      state.session = { number: event.session, settled: 0 };
      for (const run of state.runs.values()) run.sessions += 1;
      return;
    case "session.ended":
      state.session = null;
      forgetPreparation(state);
      state.lastSessionAt = event.at;
      return;
    case "branch.caughtUp":
      state.stayedBehind = null;
      return;
    case "branch.stayed":
      state.stayedBehind = event.theirs;
      return;
    case "work.accepted":
      state.held = false;
      for (const task of event.tasks) taskOf(state, task).accepted = event.commit;
      return;
    case "work.dropped":
      taskOf(state, event.task).dropped = event.commit;
      return;
    case "work.held":
      state.held = true;
      return;
    case "approval.asked":
      state.approvals.set(event.name, {
        name: event.name,
        task: event.task,
        question: event.question,
        change: event.change,
        from: event.from ?? null,
        proposal: event.proposal ?? null,
      });
      countQuestion(state, event);
      return hold(state, event.task, 1);
    case "approval.granted":
    case "approval.denied":
    case "approval.withdrawn": {
      const approval = state.approvals.get(event.name);
      state.approvals.delete(event.name);
      if (event.type !== "approval.withdrawn") beginRowAnew(state.rounds);
      if (approval !== undefined && event.type !== "approval.withdrawn") noteAnswer(state, approval, event);
      return hold(state, approval?.task ?? null, -1);
    }
  }
}

function hold(state: State, id: string | null, change: 1 | -1): void {
  if (id === null) return;
  const task = taskOf(state, id);
  task.holds += change;
  refreshReady(state, task);
}
