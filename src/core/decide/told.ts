// What an agent told by a tool: bounded, recorded as its own, and never more than a wish. A command that no person
// accepted is asked about before it is part of the plan (rules MCP, T).
import { assertNever } from "../../kit/assert-never.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Event } from "../../protocol/event.ts";
import type { TaskId } from "../../protocol/ids.ts";
import type { Validation } from "../../protocol/task.ts";
import type { Told, ToldVerb } from "../../protocol/told.ts";
import { phaseOf } from "../judging.ts";
import type { ReadonlyState } from "../state.ts";
import { addTask } from "./add-task.ts";
import { refuse } from "./refuse.ts";
import type { Turn } from "./turn.ts";

/** Of one attempt. */
export const mostTold: Readonly<Record<ToldVerb, number>> = {
  note: 20,
  handoff: 20,
  inbox_add: 10,
  ask_human: 3,
  add_task: 5,
};
/** Of a whole mission: tasks that agents made propose tasks themselves. */
export const mostOfMission = { findings: 200, proposals: 100 };

export function decideTold(turn: Turn, told: Told): readonly Event[] {
  const { state, attempt, effect } = turn;
  const of = { task: effect.task, attempt: effect.attempt };
  const no = (why: string, remedy?: string) => refuse(`agent.tell ${told.verb}`, effect.task, why, remedy);
  if (effect.kind !== "agent.run" || attempt.cancelled) return no(`stale: the work on ${effect.task} is over`);
  const most = mostTold[told.verb];
  if (attempt.told[told.verb] >= most) return no(`${told.verb} was used ${most} times in this attempt: that is all`);
  switch (told.verb) {
    case "note":
      return [{ type: "agent.noted", ...of, text: told.text }];
    case "handoff":
      return [handedOff(turn, told)];
    case "inbox_add": {
      const { findings } = state.told;
      if (findings >= mostOfMission.findings) return no(`the inbox has had ${findings} findings: that is all it takes`);
      return [{ type: "agent.found", ...of, number: findings + 1, title: told.title, text: told.text }];
    }
    case "ask_human":
      return askHuman(turn, told.question, no);
    case "add_task":
      return propose(turn, told, no);
    default:
      return assertNever(told);
  }
}

function handedOff({ task, attempt, effect }: Turn, { summary, next }: Extract<Told, { verb: "handoff" }>): Event {
  const phase = phaseOf(task)?.phase.name ?? "";
  const handoff = { phase, completed: [], nextStep: next, criticalFiles: [], notes: summary };
  const of = { task: effect.task, attempt: effect.attempt, iteration: attempt.iteration };
  return { type: "agent.handedOff", ...of, handoff, hash: null };
}

type No = (why: string, remedy?: string) => readonly Event[];

/** It holds the task, not the attempt: what is under way goes on, and the next one begins with the answer. */
function askHuman({ state, task, attempt, effect }: Turn, question: string, no: No): readonly Event[] {
  const of = { task: effect.task, attempt: effect.attempt };
  const isSame = (other: { readonly question: string }) => other.question === question;
  if ([...state.approvals.values()].some((other) => other.from?.task === of.task && isSame(other)))
    return no("that is being asked already", "go on with what does not depend on it");
  const answered = task.answers.find(isSame);
  if (answered !== undefined)
    return no(`that was answered: ${answered.granted ? "yes" : "no"}${answered.note && ` – ${answered.note}`}`);
  const name = `ask-${of.task}-${of.attempt}-${attempt.told.ask_human + 1}`;
  return [{ type: "approval.asked", name, task: of.task, question, change: null, from: of }];
}

type AddTask = Extract<Told, { verb: "add_task" }>;

function propose({ state, attempt, effect }: Turn, told: AddTask, no: No): readonly Event[] {
  const of = { task: effect.task, attempt: effect.attempt };
  const { title, description, priority, dependsOn, command } = told;
  const { proposals } = state.told;
  if (proposals >= mostOfMission.proposals) return no(`agents have proposed ${proposals} tasks: that is all`);
  if (isInPlan(state, title)) return no(`there is a task, or a proposal, with that title already`);
  const wanted = { title, description, priority, dependsOn: [...dependsOn], extra: { proposed_by: of.task } };
  const known = command === null ? null : acceptedValidation(state, command);
  const added = addTask(state, { ...wanted, validation: known });
  const [first] = added;
  if (first?.type !== "task.added") return added;
  if (command !== null && known === null) {
    const name = `add-${of.task}-${of.attempt}-${attempt.told.add_task + 1}`;
    const proposal = { ...wanted, validation: { command, timeoutMs: 300_000, quick: null } };
    const question = `${of.task} proposes the task "${oneLine(title)}", judged by: ${oneLine(command)}`;
    return [
      { type: "agent.proposed", ...of, title, added: null },
      { type: "approval.asked", name, task: null, question, change: null, from: of, proposal },
    ];
  }
  const { id } = first.spec;
  const judged = known !== null || added.length > 1 ? [] : [unjudged(id, of.task, title)];
  return [{ type: "agent.proposed", ...of, title, added: id }, ...added, ...judged];
}

/** Without a command it would stop every run (A3): it is held until a person has said how it is judged, or gives it up. */
const unjudged = (id: TaskId, by: TaskId, title: string): Event => ({
  type: "approval.asked",
  name: `judge-${id}`,
  task: id,
  question: `${by} proposed the task "${oneLine(title)}"; nothing judges it yet: harness edit ${id} --validate CMD, then approve`,
  change: null,
});

function isInPlan({ tasks, approvals }: ReadonlyState, title: string): boolean {
  for (const { proposal } of approvals.values()) if (proposal?.title === title) return true;
  for (const { spec } of tasks.values()) if (spec.title === title) return true;
  return false;
}

/** What judges a task of the plan by a person's word may judge another one. */
function acceptedValidation({ tasks, untrusted }: ReadonlyState, command: string): Validation | null {
  for (const [id, { spec }] of tasks) {
    if (spec.validation?.command !== command || untrusted.has(id)) continue;
    return { command, timeoutMs: spec.validation.timeoutMs, quick: null };
  }
  return null;
}

/** The work is merged: nobody waits for these answers. */
export const withdrawQuestions = ({ state, effect }: Turn): readonly Event[] =>
  [...state.approvals.values()].flatMap(({ name, from, proposal }): Event[] =>
    from?.task === effect.task && proposal === null ? [{ type: "approval.withdrawn", name }] : [],
  );
