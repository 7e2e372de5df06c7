// Facts about what agents told by their tools, and what they were answered.
import type { EventOf, Recorded } from "../../protocol/event.ts";
import type { Approval } from "../question.ts";
import type { State } from "../state.ts";
import { attemptOf } from "./attempt.ts";
import { taskOf } from "./plan-index.ts";

type ToldEvent = Recorded<EventOf<"agent.noted" | "agent.handedOff" | "agent.found" | "agent.proposed">>;

/** As many as a brief shows: older ones are in the journal, and the state does not grow with what agents say. */
const kept = { notes: 10, answers: 10 };

export function evolveTold(state: State, event: ToldEvent): void {
  const task = taskOf(state, event.task);
  const { told } = attemptOf(state, event.task);
  switch (event.type) {
    case "agent.noted":
      told.note += 1;
      task.notes.push({ at: event.at, text: event.text });
      task.notes.splice(0, task.notes.length - kept.notes);
      return;
    case "agent.handedOff": {
      const { attempt, iteration, summary, next } = event;
      told.handoff += 1;
      task.handoff = { attempt, iteration, summary, next };
      return;
    }
    case "agent.found":
      told.inbox_add += 1;
      state.told.findings = event.number;
      return;
    case "agent.proposed":
      told.add_task += 1;
      state.told.proposals += 1;
      return;
  }
}

export function countQuestion(state: State, { from, proposal }: EventOf<"approval.asked">): void {
  // A proposal was counted as one.
  if (from !== undefined && proposal === undefined) attemptOf(state, from.task).told.ask_human += 1;
}

export function noteAnswer(
  state: State,
  { from, proposal, question }: Approval,
  event: EventOf<"approval.granted" | "approval.denied">,
): void {
  if (from === null || proposal !== null) return;
  const { answers } = taskOf(state, from.task);
  answers.push({ question, granted: event.type === "approval.granted", note: event.note ?? "" });
  answers.splice(0, answers.length - kept.answers);
}
