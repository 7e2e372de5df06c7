// Facts about what agents told by their tools, and what they were answered.
import type { EventOf, Recorded } from "../../protocol/event.ts";
import type { Approval } from "../question.ts";
import type { State, TaskState } from "../state.ts";
import { attemptOf } from "./attempt.ts";
import { taskOf } from "./plan-index.ts";

type ToldEvent = Recorded<
  EventOf<"agent.noted" | "agent.handedOff" | "agent.found" | "agent.proposed" | "left.refused">
>;

/** As many as a brief shows: older ones are in the journal, and the state does not grow with what agents say. */
const kept = { notes: 10, answers: 10, research: 10, collected: 200, lead: 200 };

export function evolveTold(state: State, event: ToldEvent): void {
  const task = taskOf(state, event.task);
  const attempt = attemptOf(state, event.task);
  const { told } = attempt;
  switch (event.type) {
    case "agent.noted":
      told.note += 1;
      task.notes.push({ at: event.at, text: event.text });
      task.notes.splice(0, task.notes.length - kept.notes);
      return;
    case "agent.handedOff": {
      const { attempt: number, iteration, handoff, hash } = event;
      state.told.handoffs += 1;
      task.handoff = { attempt: number, iteration, handoff };
      task.refused = null;
      // One that was left is bounded by the iterations.
      if (hash === null) told.handoff += 1;
      else remember(task, hash);
      return;
    }
    case "agent.found": {
      const { number, title, text, file } = event;
      state.told.findings = number;
      state.research.push({ number, task: event.task, title, lead: text.slice(0, kept.lead) });
      state.research.splice(0, state.research.length - kept.research);
      if (file === undefined) told.inbox_add += 1;
      else {
        attempt.filed += 1;
        if (file.part === file.parts) remember(task, file.hash);
      }
      return;
    }
    case "left.refused": {
      const { attempt: number, iteration, untaken, more } = event;
      task.refused = { attempt: number, iteration, untaken, more };
      for (const { hash } of untaken) remember(task, hash);
      return;
    }
    case "agent.proposed":
      told.add_task += 1;
      state.told.proposals += 1;
      return;
  }
}

function remember({ collected }: TaskState, hash: string): void {
  collected.push(hash);
  collected.splice(0, collected.length - kept.collected);
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
