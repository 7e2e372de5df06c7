// The program inside a sandbox: the journal is out of reach, so what may be asked goes through the attempt's socket.
import type { SocketRequest } from "../../protocol/attempt-socket.ts";
import { serveMcp } from "./mcp-server.ts";
import { createToolBox } from "./mcp-tools.ts";
import { askRun } from "./socket-client.ts";
import { statusText } from "./status-text.ts";
import { taskText } from "./task-text.ts";

const plain = (_colour: string, text: string): string => text;

/** Answers the exit code. Only what an agent can use is known here. */
export async function inside(args: readonly string[], path: string, env: NodeJS.ProcessEnv): Promise<number> {
  if (args[0] === "mcp" && args.length === 1) {
    await serveMcp({
      input: process.stdin,
      output: process.stdout,
      tools: createToolBox((told) => askRun(path, told)),
    });
    return 0;
  }
  const request = requestOf(args, env);
  if (request === null) return refuse("in a sandbox only checkpoint, status and tasks can be asked for");
  const answer = await askRun(path, request);
  if (request.verb === "checkpoint") {
    const { task = "", step, total } = request;
    const said = answer.ok ? { recorded: true, task_id: task, step, total } : { recorded: false, error: answer.error };
    process.stdout.write(`${JSON.stringify(said)}\n`);
    return 0;
  }
  if (!answer.ok || answer.view === null) return refuse(answer.ok ? "there is no mission" : answer.error);
  const { view } = answer;
  const isTasks = args[0] === "tasks";
  const text = args.includes("--json")
    ? JSON.stringify(isTasks ? view.tasks : view, null, 2)
    : isTasks
      ? view.tasks.map((task) => taskText(task, plain)).join("\n")
      : statusText({ view, gone: null, log: [] }, plain);
  process.stdout.write(`${text}\n`);
  return 0;
}

function refuse(why: string): number {
  process.stderr.write(
    `error: not from here – ${why}\n  next: leave the wish in your last words; the user answers it\n`,
  );
  return 1;
}

/** By hand: the command parser would offer everything that is not to be had here. */
function requestOf([verb, ...rest]: readonly string[], env: NodeJS.ProcessEnv): SocketRequest | null {
  const shows = rest.every((arg) => arg === "--json");
  if (verb === "status" || verb === "tasks") return shows ? { verb: "status" } : null;
  if (verb !== "checkpoint") return null;
  const numbers: Record<string, number> = {};
  const words: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const [name = "", given] = (rest[at] ?? "").split("=", 2);
    if (name !== "--step" && name !== "--total") words.push(rest[at] ?? "");
    else numbers[name] = Number(given ?? rest[++at]);
  }
  const [task = env.HARNESS_TASK_ID ?? "", description = ""] = words;
  return { verb, task, step: numbers["--step"] ?? Number.NaN, total: numbers["--total"] ?? Number.NaN, description };
}
