// What an iteration is given: who it is, and what it is to do. Stable parts first: a provider's prompt cache keeps them.
import { oneLine } from "../kit/escape.ts";
import type { TaskId } from "../protocol/ids.ts";
import { leftPaths } from "../protocol/left.ts";
import { otherText } from "./conflict-text.ts";
import { cutText } from "./cut-text.ts";
import { isBeforeLast, isUnverified, phaseOf, waysText } from "./judging.ts";
import { notTaken, research, resumedState } from "./left-text.ts";
import { phaseJudgedText, phaseText } from "./phase-text.ts";
import { type BriefPart, smaller } from "./smaller-brief.ts";
import { standingText } from "./standing-text.ts";
import type { ReadonlyState, ReadonlyTask } from "./state.ts";
import { toldBefore, toolsLine } from "./told-text.ts";

/** Hard caps per part, in characters: a brief never grows with the plan or with what agents print. */
const caps = { description: 20_000, evidence: 4_000, marks: 20, mark: 200 };

const clip = (text: string, cap: number): string =>
  text.length <= cap ? text : `${text.slice(0, cap)}\n… ${text.length - cap} characters left out …`;

export interface BriefOptions {
  /** Commands without their secrets. */
  readonly shown?: (command: string) => string;
}

/** The same for every task; `hasTools`: the agent is offered the tools of its attempt. */
export const workerText = (hasTools: boolean): string => (hasTools ? `${rules}\n- ${toolsLine}` : rules);

/** In their order; those that would be empty are left out. */
export function briefParts(
  state: ReadonlyState,
  id: TaskId,
  iteration: number,
  { shown = (command) => command }: BriefOptions = {},
): readonly BriefPart[] {
  const task = state.tasks.get(id);
  if (task === undefined || state.mission === null) throw new Error(`no brief for ${id}: it is not in the plan`);
  const parts = [
    { name: "phase", text: phaseText(task) },
    { name: "task", text: `# Task ${id}: ${task.spec.title}` },
    { name: "description", text: clip(task.spec.description, caps.description) },
    { name: "phase check", text: phaseJudgedText(task, shown) },
    { name: "check", text: judged(task, shown) },
    { name: "promise", text: promised(task) },
    { name: "last attempt", text: earlier(task) },
    {
      name: "resuming",
      text: resumed(task, iteration, task.spec.loop?.maxIterations ?? state.mission.limits.maxIterations),
    },
    { name: "not done", text: unkept(task) },
    { name: "resumed state", text: resumedState(task) },
    { name: "not taken", text: notTaken(task) },
    { name: "cut short", text: task.phase.status === "in_progress" ? cutText(task.phase.attempt.cut) : "" },
    { name: "standing", text: task.phase.status === "in_progress" ? standingText(task, task.phase.attempt) : "" },
    ...toldBefore(state, task).map((text) => ({ name: "told", text })),
    { name: "research", text: research(state) },
    { name: "conflict", text: inConflict(task) },
  ].filter(({ text }) => text !== "");
  return smaller(parts, task.phase.status === "in_progress" ? task.phase.attempt.overflows : 0);
}

export const briefFor = (...about: Parameters<typeof briefParts>): string =>
  briefParts(...about)
    .map(({ text }) => text)
    .join("\n\n");

const rules = `You are working on one task of a larger mission, alone in this directory, which is a private clone of the project.
- Do the whole task, and nothing but the task. Do not ask questions: nobody is listening.
- You may commit or leave changes uncommitted; both are collected when you end.
- For whoever goes on after you, in an empty context, you may leave ${leftPaths.handoff}: {"phase", "completed": [], "next_step", "critical_files": [], "memory_notes"}; and raw results of research as text files in ${leftPaths.results}/. Both are collected when you end and are no part of your work, unless the project itself tracks them.
- After each significant step print a line of its own: CHECKPOINT step=M/N "what was done"
- Your work is judged by a command that runs on a clean checkout of what you leave behind. Saying that it is done has no effect.`;

function judged(task: ReadonlyTask, shown: (command: string) => string): string {
  const { validation, outputs } = task.spec;
  const text = waysText(outputs, validation === null ? undefined : shown(validation.command));
  return text === "" ? "" : `## How it is judged${phaseOf(task) === null ? "" : " after the last phase"}\n\n${text}`;
}

/** How a loop ends (I2). */
function promised(task: ReadonlyTask): string {
  const { loop } = task.spec;
  if (loop === undefined) return "";
  const all = isBeforeLast(phaseOf(task)) ? "all of this phase" : "all of it";
  return `## When you are done

Only when ${all} is done, and you have checked that yourself, end your last message with this line, alone:

    ${loop.promise}

It is a promise, and ${isUnverified(task.spec) ? "nothing else tells whether it holds: check your work yourself" : "it is checked"}. Without it you will be started again, with this directory as you left it.`;
}

/** Why there is another iteration (I1). */
function unkept({ phase }: ReadonlyTask): string {
  const last = phase.status === "in_progress" ? phase.attempt.unkept : null;
  if (last === null) return "";
  const evidence = last.evidence === undefined ? "" : `\n\n${quoted(clip(last.evidence, caps.evidence))}`;
  return `## Why it is not done\n\n${oneLine(last.message, caps.evidence)}${evidence}`;
}

function earlier(task: ReadonlyTask): string {
  const last = task.failures.at(-1);
  if (last === undefined) return "";
  const evidence = last.evidence === undefined ? "" : `\n\n${quoted(clip(last.evidence, caps.evidence))}`;
  const kept =
    task.spec.kind !== "feature" || task.lastCandidate === null
      ? ""
      : "\n\nUnless it no longer applied, its work is in this directory, uncommitted: go on with it.";
  return `## The last attempt failed\n\nAttempt ${task.attempts} of ${task.spec.maxAttempts}: ${last.message}${evidence}${kept}`;
}

function resumed(task: ReadonlyTask, iteration: number, max: number): string {
  if (iteration === 1 || task.phase.status !== "in_progress") return "";
  const counted = iteration - task.phase.attempt.delays;
  const marks = task.checkpoints
    .filter(({ at }) => task.phase.status === "in_progress" && at >= task.phase.attempt.startedAt)
    .slice(-caps.marks)
    .map(({ step, total, description }) => `- step ${step}/${total}: ${clip(description, caps.mark)}`);
  const where = marks.length === 0 ? "" : `\n\nWhat was marked as done:\n\n${marks.join("\n")}`;
  return `## You are resuming\n\nIteration ${counted} of ${max}. Earlier work is in this directory: look at it, do not start over.${where}`;
}

/** Both sides of a conflict, for whoever has to repair it (G5). */
function inConflict({ spec: { id }, phase }: ReadonlyTask): string {
  const conflict = phase.status === "in_progress" ? phase.attempt.conflict : null;
  if (conflict === null) return "";
  const { kept, files, fileCount, others } = conflict;
  const listed = (paths: readonly string[]): string => quoted(paths.map((path) => oneLine(path)).join("\n"));
  const marked = files.filter((file) => file.marked).map(({ path }) => path);
  const unmarked = files.filter((file) => !file.marked).map(({ path }) => path);
  const more = fileCount > files.length ? `\n\nThese are ${files.length} of ${fileCount}: look for the others.` : "";
  return [
    "## Your work is in conflict with what others merged",
    `While ${id} was worked on, others merged changes of the same files. Its work was put onto their result: HEAD is what is merged now, and this directory holds both sides.`,
    marked.length === 0
      ? ""
      : `With conflict markers – above \`=======\` what is merged now, below it the work on this task:\n\n${listed(marked)}`,
    unmarked.length === 0
      ? ""
      : `In conflict without markers – removed, moved or not made of lines; see that what stands there is right:\n\n${listed(unmarked)}`,
    `What others did to these files:\n\n${others.length === 0 ? "    see git log" : listed(others.map(otherText))}`,
    `The work on this task as it was, alone: \`git diff ${kept}~ ${kept}\`. What others did: \`git diff ${kept}~ HEAD\`.${more}`,
    "Repair it so that both purposes are met: do not drop what others did, do not do the task anew. No conflict marker may be left in these files: that is looked for, and one that is left ends the attempt.",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Output of programs is data: indented, so that nothing in it reads as an instruction of ours. */
const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
