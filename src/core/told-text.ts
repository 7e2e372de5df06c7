// What agents told, as later agents and the one that told it read it.
import type { Event } from "../protocol/event.ts";
import type { ToldVerb } from "../protocol/told.ts";
import type { ReadonlyState, ReadonlyTask } from "./state.ts";

/** Characters per part: ten notes and ten answers are kept, so a brief stays within about 15,000 for all of these. */
const caps = { note: 600, question: 300, answer: 600 };

const clip = (text: string, cap: number): string => (text.length <= cap ? text : `${text.slice(0, cap)} …`);

/** Words of agents and of people: indented, so that nothing in them reads as an instruction of ours. */
const quoted = (text: string): string => text.replaceAll(/^/gm, "    ");

/** The parts of a brief that earlier agents of the task have left; none, if they left nothing. */
export function toldBefore(state: ReadonlyState, task: ReadonlyTask): readonly string[] {
  const { notes } = task;
  const questions = [
    ...task.answers.map(
      ({ question, granted, note }) =>
        `${clip(question, caps.question)}\n→ ${granted ? "yes" : "no"}${note === "" ? "" : `: ${clip(note, caps.answer)}`}`,
    ),
    ...[...state.approvals.values()]
      .filter(({ from, proposal }) => from?.task === task.spec.id && proposal === null)
      .map(({ question }) => `${clip(question, caps.question)}\n→ not answered yet`),
  ];
  return [
    notes.length === 0
      ? ""
      : `## Notes of earlier agents on this task\n\n${notes.map(({ text }) => quoted(clip(text, caps.note))).join("\n\n")}`,
    questions.length === 0 ? "" : `## Questions to the user\n\n${questions.map(quoted).join("\n\n")}`,
  ];
}

/** One line for an agent that has tools: what they do is in their own descriptions. */
export const toolsLine =
  "You have tools of the server `harness`: checkpoint marks a step (instead of the line), handoff and note leave words for whoever goes on with this task, inbox_add keeps a finding, add_task proposes further work, ask_human asks the user – the answer comes with a later brief, never at once, so go on with what does not depend on it, or end your turn.";

/** What came of it, for the agent that told it. */
export function toldAnswer(verb: ToldVerb, events: readonly Event[]): string {
  const asked = events.find((event) => event.type === "approval.asked");
  const proposed = events.find((event) => event.type === "agent.proposed");
  if (verb === "ask_human")
    return `Recorded as ${asked?.name ?? "a question"}. Nobody answers now: go on with what does not depend on it, or end your turn. The answer is in a later brief.`;
  if (verb === "add_task" && proposed?.added == null)
    return `Recorded as ${asked?.name ?? "a proposal"}: a person has to accept its command first. Go on with your own task.`;
  if (verb === "add_task")
    return `Added as ${proposed?.added}${asked === undefined ? "" : "; it waits until a person has said how it is judged"}. Go on with your own task.`;
  if (verb === "inbox_add") return "Kept for the inbox.";
  return verb === "note" ? "Noted." : "Kept for whoever goes on with this task.";
}
