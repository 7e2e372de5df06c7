// `status` and `tasks` from the glance: the same text as status.ts and tasks.ts print, before anything else is loaded.
import { fstatSync, writeSync } from "node:fs";
import { type Glanced, glanceAt } from "../../glance.ts";
import type { TaskLine } from "../../protocol/view.ts";
import type { Environment } from "../../runtime/place.ts";
import type { Paint } from "./paint.ts";
import { statusText } from "./status-text.ts";
import { taskText } from "./task-text.ts";

interface World {
  /** Throws if the folder is gone. */
  cwd(): string;
  readonly env: Environment;
}

/** False when it must be done the long way; nothing was printed then. */
export async function quickLook(args: readonly string[], { cwd, env }: World): Promise<boolean> {
  const look = looks[args.join(" ")];
  const glanced = look === undefined ? null : glanceAt(cwd, env);
  const text = look === undefined || glanced === null ? null : await look(glanced, env);
  if (text === null) return false;
  print(typeof text === "string" ? Buffer.from(text) : text);
  return true;
}

type Look = (glanced: Glanced, env: Environment) => Promise<string | Buffer | null>;

/** By the whole command line: every other flag goes the long way. */
const looks: Readonly<Record<string, Look>> = {
  status: async (glanced, env) => {
    const { view, log } = glanced;
    return `${statusText({ view, gone: await goneOf(glanced), log }, await painter(env))}\n`;
  },
  "status --json": async (glanced) => {
    const tasks = taskLines(glanced);
    return tasks && `${JSON.stringify({ ...glanced.view, tasks, log: glanced.log }, null, 2)}\n`;
  },
  tasks: async (glanced, env) => {
    const tasks = taskLines(glanced);
    const paint = await painter(env);
    return tasks === null ? null : tasks.map((task) => `${taskText(task, paint)}\n`).join("");
  },
  "tasks --json": async (glanced) => glanced.tasks(),
};

function taskLines(glanced: Glanced): readonly TaskLine[] | null {
  const bytes = glanced.tasks();
  return bytes && (JSON.parse(bytes.toString()) as readonly TaskLine[]);
}

async function goneOf({ owners }: Glanced): Promise<number | null> {
  if (owners.length === 0) return null;
  const { firstGone } = await import("../../kit/process-identity.ts");
  return firstGone(owners);
}

/** Asking Node's own stream whether it is a terminal would load it, and with it half of the network. */
async function painter(env: Environment): Promise<Paint> {
  if (!fstatSync(1).isCharacterDevice()) return (_colour, text) => text;
  const { painterFor } = await import("./paint.ts");
  return painterFor(process.stdout, env);
}

function print(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      // Whoever read our output has left.
      if (code === "EPIPE" || code === "EIO") return;
      if (code !== "EAGAIN") throw error;
      process.stdout.on("error", () => undefined).write(bytes.subarray(at));
      return;
    }
  }
}
