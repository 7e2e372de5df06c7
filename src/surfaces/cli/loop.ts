// `harness loop`, and `harness "what to do"`: from an objective to work that one can accept, in one sitting (I1, I2).
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { initProject } from "../../compose.ts";
import { causeOf } from "../../kit/file-error.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { type Loop, Loop as LoopSchema } from "../../protocol/task.ts";
import { chooseAgent } from "./agent-choice.ts";
import { asking, canAsk } from "./ask.ts";
import { isForBackground, startInBackground } from "./background.ts";
import { refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type Ended, offerWork } from "./loop-end.ts";
import type { LoopOptions } from "./loop-options.ts";
import { resumeLoop } from "./loop-resume.ts";
import { prepareLoop } from "./loop-start.ts";
import { findProject } from "./mission-access.ts";
import { type RunOptions, run } from "./run.ts";

const what = "nothing was started";

export async function loop(words: string | undefined, options: LoopOptions, context: Context): Promise<ExitCode> {
  const agentsWord = await refusalOfAgent(context);
  if (agentsWord !== null) return refuse(context, what, agentsWord);
  if (options.background && !options.yes) return refuse(context, what, nobodyInBackground);
  if (options.resume) return resume(words, options, context);
  if (options.runId !== undefined) return refuse(context, what, onlyResumed);
  const asks = words === undefined && options.file === undefined && !options.yes && canAsk(context);
  const objective = await objectiveOf(asks ? await askForObjective(context) : words, options.file, context.cwd);
  if (asks && !objective.ok && objective.failure === noObjective) return cancelled(context);
  if (!objective.ok) return refuse(context, what, objective.failure);
  if (!options.yes && !canAsk(context)) return refuse(context, what, nobodyToAsk);
  const flags = chooseAgent(options, context.cwd);
  if (!flags.ok) return refuse(context, what, flags.failure);
  const made = await initProject(context.cwd, context.env, context.root);
  if (!made.ok) return refuse(context, what, made.failure);
  const { project } = made.value;
  if (isForBackground(options, context)) return startInBackground(project.root, context);
  const wish = { objective: objective.value, loop: loopOf(options), chosen: flags.value, options };
  const started = await prepareLoop(project, wish, context);
  if (!started.ok) return refuse(context, what, started.failure);
  if (started.value === null) return cancelled(context);
  const { agent, ...about } = started.value;
  return carry({ project, loop: wish.loop, ...about }, { ...options, ...agent, newWork: true }, context);
}

/** Empty when the person has changed their mind. */
const askForObjective = async (context: Context): Promise<string> =>
  (await asking(context, ({ ask }) => ask("what is to be done (nothing: leave)", "", (answer) => answer))) ?? "";

function cancelled({ stdout }: Context): ExitCode {
  writeLine(stdout, "Nothing was started");
  return exitCodes.interrupted;
}

/** Its check and its agent's place are as they were; who works is said again, or configured. */
async function resume(words: string | undefined, options: LoopOptions, context: Context): Promise<ExitCode> {
  if (words !== undefined || options.file !== undefined) return refuse(context, what, resumedAndNew);
  const place = await findProject(context);
  if (!place.ok) return refuse(context, what, place.failure);
  if (isForBackground(options, context)) return startInBackground(place.value.root, context);
  const resumed = await resumeLoop(options, context);
  if (!resumed.ok) return refuse(context, what, resumed.failure);
  return carry(resumed.value, options, context);
}

/** Runs it, and again as long as the person wants it to go on. */
async function carry(
  { project, loop: about, ...first }: Omit<Ended, "yes">,
  { newWork, ...options }: LoopOptions & Pick<RunOptions, "newWork">,
  context: Context,
): Promise<ExitCode> {
  let { task } = first;
  // In a clone there is only what was committed.
  const where = options.withChanges ? { workspace: "in-place" as const } : {};
  let own: Pick<RunOptions, "newWork"> = newWork ? { newWork } : {};
  for (;;) {
    const code = await run({ ...options, ...where, ...own, told: true }, { ...context, root: project.root });
    // Going on with it is no new work.
    own = {};
    const next = await offerWork({ project, task, loop: about, yes: options.yes === true }, context);
    if (!next.ok) return refuse(context, "the end cannot be shown", next.failure);
    if (next.value === null) return code;
    task = next.value;
  }
}

const resumedAndNew: Failure = {
  kind: "usage",
  message: "a loop that is resumed has its objective already",
  remedy: "leave the objective out, or --resume",
};
const onlyResumed: Failure = {
  kind: "usage",
  message: "--run-id names a loop to go on with",
  remedy: "add --resume",
};

const loopOf = ({ maxIterations, completionPromise }: LoopOptions): Loop =>
  LoopSchema.parse({
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(completionPromise === undefined ? {} : { promise: completionPromise }),
  });

/** An objective that is empty is taken back. */
async function objectiveOf(words: string | undefined, file: string | undefined, cwd: string): Promise<Outcome<string>> {
  if (words !== undefined && file !== undefined) return failed(twoObjectives);
  if (words === undefined && file === undefined) return failed(noObjective);
  const read = file === undefined ? succeeded(words ?? "") : await textOf(file, cwd);
  if (!read.ok) return read;
  const text = read.value.trim();
  return text === "" ? failed(noObjective) : text.length > longest ? failed(tooLong) : succeeded(text);
}

async function textOf(file: string, cwd: string): Promise<Outcome<string>> {
  try {
    return succeeded(await readFile(resolve(cwd, file), "utf8"));
  } catch (error) {
    const message = `the objective cannot be read: ${causeOf(error)}`;
    return failed({ kind: "usage", message, remedy: "name a file that can be read: harness loop --file PROMPT.md" });
  }
}

const longest = 100_000;
const tooLong: Failure = {
  kind: "usage",
  message: `the objective is longer than ${longest} characters`,
  remedy: "put the details into a file of the project, and name that file in the objective",
};
const noObjective: Failure = {
  kind: "usage",
  message: "there is no objective",
  remedy: 'harness "what to do", or: harness loop --file PROMPT.md',
};
const twoObjectives: Failure = {
  kind: "usage",
  message: "the objective is given twice, as words and by --file",
  remedy: "leave one of the two out",
};
const nobodyInBackground: Failure = {
  kind: "usage",
  message: "in the background nobody can be asked",
  remedy: "add --yes to start without questions",
};
const nobodyToAsk: Failure = {
  kind: "usage",
  message: "nobody is at this terminal to be asked",
  remedy: "add --yes to start without questions",
};
