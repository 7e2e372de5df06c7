// `harness demo`: everything on a throw-away project, with the scripted agent and nothing but the program's own commands.
import type { Failure } from "../../protocol/failure.ts";
import { StatusView } from "../../protocol/view.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ChildEnd, createDemoPlace, type DemoPlace } from "./demo-place.ts";
import { demoFiles, demoTasks } from "./demo-plan.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { painterFor } from "./paint.ts";

export interface DemoOptions {
  readonly keep?: true;
}

type Say = (text: string) => void;
/** The demo cannot go on: what came out is not what the plan says, or somebody interrupted it. */
class DemoOver extends Error {
  readonly interrupted: boolean;
  constructor(message: string, end?: ChildEnd) {
    super(message);
    this.interrupted = end?.code === exitCodes.interrupted || end?.signal === "SIGINT" || end?.signal === "SIGTERM";
  }
}

export async function demo(options: DemoOptions, context: Context): Promise<ExitCode> {
  const paint = painterFor(context.stdout, context.env);
  const say: Say = (text) => writeLine(context.stdout, paint("cyan", text));
  const place = createDemoPlace(context.env);
  try {
    await play(place, say);
    finish(place, options, say);
    return exitCodes.done;
  } catch (error) {
    if (error instanceof DemoOver && error.interrupted) {
      place.remove();
      return exitCodes.interrupted;
    }
    refuse(context, "the demo did not go as planned", failureOf(error, place));
    return exitCodes.environment;
  }
}

async function play(place: DemoPlace, say: Say): Promise<void> {
  say(`A throw-away project in ${place.project}: a greeting tool in plain sh, and tests that nothing passes yet.`);
  makeProject(place);
  await harness(place, say, "init", "--yes");
  for (const task of demoTasks) {
    const after = task.dependsOn.length === 0 ? [] : ["--depends-on", task.dependsOn.join(",")];
    await harness(place, say, "add", task.title, "--validate", task.validate, ...after);
  }
  const script = { tasks: Object.fromEntries(demoTasks.map(({ attempts }, at) => [idOf(at), attempts])) };
  place.write("demo.json", JSON.stringify(script, null, 2));

  const run = ["run", "--agent", "scripted", "--agent-script", "../demo.json", "--lanes", "2"];
  say(`\n$ harness ${shown(run)}`);
  const killed = await place.harness(...run);
  if (killed.signal !== "SIGKILL")
    throw new DemoOver(`the first run ended with ${endText(killed)}, planned was SIGKILL`, killed);
  say(
    "\nThe supervisor was just killed (kill -9) in the middle of a task. Its journal knows everything: run it again.",
  );
  await harness(place, say, ...run);
  check(place);
}

/** A repository that no global git setting of this machine can disturb. */
function makeProject(place: DemoPlace): void {
  place.git("init", "--quiet", "--template=", "--initial-branch=main");
  for (const setting of [
    "user.name=Demo",
    "user.email=demo@example.invalid",
    "commit.gpgsign=false",
    "core.hooksPath=/dev/null",
  ]) {
    const [name = "", value = ""] = setting.split("=");
    place.git("config", name, value);
  }
  for (const [file, text] of Object.entries(demoFiles)) place.write(`greet/${file}`, text);
  place.git("add", ".");
  place.git("commit", "--quiet", "--message", "A greeting tool, as its tests want it");
}

async function harness(place: DemoPlace, say: Say, ...args: readonly string[]): Promise<void> {
  say(`\n$ harness ${shown(args)}`);
  const end = await place.harness(...args);
  if (end.code !== exitCodes.done)
    throw new DemoOver(`harness ${args[0]} ended with ${endText(end)}, planned was 0`, end);
}

/** Compares what is there with what the plan says. */
function check(place: DemoPlace): void {
  const view = StatusView.parse(JSON.parse(place.harnessSays("status", "--json") ?? "null"));
  const found = view.tasks.map(({ id, status, attempts }) => `${id} ${status} in attempt ${attempts}`);
  const planned = demoTasks.map(({ attempts }, at) => `${idOf(at)} completed in attempt ${attempts.length}`);
  const odd = planned.find((line, at) => line !== found[at]);
  if (odd !== undefined) throw new DemoOver(`planned was "${odd}", found was: ${found.join(", ")}`);
  const commits = place.git(
    "log",
    "--format=%(trailers:key=Harness-Task,valueonly,separator=%x20)",
    `main..${view.mission.branch}`,
  );
  const once = commits.split("\n").sort().join(" ");
  if (once !== demoTasks.map((_, at) => idOf(at)).join(" ")) {
    throw new DemoOver(`planned was one commit a task, found were commits for: ${once}`);
  }
}

function finish(place: DemoPlace, { keep }: DemoOptions, say: Say): void {
  const { mission } = StatusView.parse(JSON.parse(place.harnessSays("status", "--json") ?? "null"));
  say(`\n$ git log --oneline main..${mission.branch}`);
  say(place.git("log", "--oneline", `main..${mission.branch}`));
  say("\nEvery task was checked by its own command, one was tried twice, one survived the kill. In your own project:");
  say(
    `  harness init\n  harness add "what to do" --validate "command that checks it"\n  harness run --agent-command 'your-agent …'`,
  );
  if (keep)
    say(
      `\nThe throw-away project is kept in ${place.project}\n  HARNESS_STATE_HOME=${place.path}/state harness status`,
    );
  else place.remove();
}

const failureOf = (error: unknown, place: DemoPlace): Failure => ({
  kind: "env_setup",
  message: error instanceof Error ? error.message : String(error),
  remedy: `look at what is there: ${place.path}`,
});
const idOf = (at: number): string => `task-${String(at + 1).padStart(3, "0")}`;
const endText = ({ code, signal }: ChildEnd): string => (signal === null ? `exit code ${code}` : signal);
const shown = (args: readonly string[]): string =>
  args.map((arg) => (/^[\w./,-]+$/.test(arg) ? arg : `"${arg}"`)).join(" ");
