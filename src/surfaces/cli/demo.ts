// `harness demo`: everything on a throw-away project, with the scripted agent and nothing but the program's own commands.
import type { Failure } from "../../protocol/failure.ts";
import { StatusView } from "../../protocol/view.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { demoFiles } from "./demo-files.ts";
import { type ChildEnd, createDemoPlace, type DemoPlace } from "./demo-place.ts";
import { demoTasks } from "./demo-plan.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { painterFor } from "./paint.ts";

export interface DemoOptions {
  readonly keep?: true;
}

type Say = (...lines: readonly string[]) => void;

/** A command ended in another way than planned, perhaps because somebody interrupted it. */
class DemoOver extends Error {
  readonly interrupted: boolean;
  constructor(what: string, { code, signal }: ChildEnd, planned: string) {
    super(`${what} ended with ${signal ?? `exit code ${code}`}, planned was ${planned}`);
    this.interrupted = code === exitCodes.interrupted || signal === "SIGINT" || signal === "SIGTERM";
  }
}

export async function demo(options: DemoOptions, context: Context): Promise<ExitCode> {
  const paint = painterFor(context.stdout, context.env);
  const say: Say = (...lines) => writeLine(context.stdout, paint("cyan", lines.join("\n")));
  const place = createDemoPlace(context.env);
  try {
    await play(place, say);
    const branch = check(place);
    say("", `$ git log --oneline main..${branch}`, place.git("log", "--oneline", `main..${branch}`), ...lastWords);
  } catch (error) {
    if (!(error instanceof DemoOver && error.interrupted)) {
      return refuse(context, "the demo did not go as planned", failureOf(error, place));
    }
    place.remove();
    return exitCodes.interrupted;
  }
  if (options.keep) say("", `The throw-away project is kept in ${place.project}`, `  with its state in ${place.state}`);
  else place.remove();
  return exitCodes.done;
}

const lastWords = [
  "",
  "Every task was checked by its own command, one was tried twice, one survived the kill.",
  "In your own project:",
  "  harness init",
  '  harness add "what to do" --validate "command that checks it"',
  "  harness run --agent-command 'your-agent …'",
];

async function play(place: DemoPlace, say: Say): Promise<void> {
  say(`A throw-away project: ${place.project}`, "A greeting tool in plain sh, with tests that nothing passes yet.");
  makeProject(place);
  await harness(place, say, "init", "--yes");
  for (const task of demoTasks) {
    const after = task.dependsOn.length === 0 ? [] : ["--depends-on", task.dependsOn.join(",")];
    await harness(place, say, "add", task.title, "--validate", task.validate, ...after);
  }
  const script = { tasks: Object.fromEntries(demoTasks.map(({ attempts }, at) => [idOf(at), attempts])) };
  place.write("demo.json", JSON.stringify(script, null, 2));

  const run = ["run", "--agent", "scripted", "--agent-script", "../demo.json", "--lanes", "2", "--sandbox", "off"];
  say("", `$ harness ${shown(run)}`);
  const killed = await place.harness(...run);
  if (killed.signal !== "SIGKILL") throw new DemoOver("the first run", killed, "SIGKILL");
  say("", "The supervisor was just killed (kill -9) in the middle of a task.");
  say("Its journal knows where everything stands: the same command goes on.");
  await harness(place, say, ...run);
}

/** A repository that no global git setting of this machine can disturb. */
function makeProject(place: DemoPlace): void {
  place.git("init", "--quiet", "--template=", "--initial-branch=main");
  place.git("config", "user.name", "Demo");
  place.git("config", "user.email", "demo@example.invalid");
  place.git("config", "commit.gpgsign", "false");
  place.git("config", "core.hooksPath", "/dev/null");
  for (const [file, text] of Object.entries(demoFiles)) place.write(`greet/${file}`, text);
  place.git("add", ".");
  place.git("commit", "--quiet", "--message", "A greeting tool, as its tests want it");
}

async function harness(place: DemoPlace, say: Say, ...args: readonly string[]): Promise<void> {
  say("", `$ harness ${shown(args)}`);
  const end = await place.harness(...args);
  if (end.code !== exitCodes.done) throw new DemoOver(`harness ${args[0]}`, end, "exit code 0");
}

/** Compares what is there with what the plan says; the answer is the mission branch. */
function check(place: DemoPlace): string {
  const view = StatusView.parse(JSON.parse(place.harnessSays("status", "--json")));
  const found = view.tasks.map(({ id, status, attempts }) => `${id} ${status} in attempt ${attempts}`);
  const planned = demoTasks.map(({ attempts }, at) => `${idOf(at)} completed in attempt ${attempts.length}`);
  const odd = planned.find((line, at) => line !== found[at]);
  if (odd !== undefined) throw new Error(`planned was "${odd}", found was: ${found.join(", ")}`);
  const { branch } = view.mission;
  const trailers = place.git(
    "log",
    "--format=%(trailers:key=Harness-Task,valueonly,separator=%x20)",
    `main..${branch}`,
  );
  const committed = trailers.split("\n").sort().join(" ");
  if (committed !== demoTasks.map((_, at) => idOf(at)).join(" ")) {
    throw new Error(`planned was one commit a task, found were commits for: ${committed}`);
  }
  return branch;
}

function failureOf(error: unknown, place: DemoPlace): Failure {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  if (isMissing) return { kind: "env_setup", message: "git was not found", remedy: "install git 2.38 or newer" };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "env_setup", message: message.slice(0, 4_000), remedy: `look at what is there: ${place.path}` };
}

const idOf = (at: number): string => `task-${String(at + 1).padStart(3, "0")}`;
const shown = (args: readonly string[]): string =>
  args.map((arg) => (/^[\w./,-]+$/.test(arg) ? arg : `"${arg}"`)).join(" ");
