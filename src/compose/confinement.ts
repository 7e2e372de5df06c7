// The settled sandbox as what performers use: each program gets its own workspace, and nobody else's.
import { mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openLineServer } from "../kit/line-server.ts";
import { makeOwnFolder } from "../kit/own-folder.ts";
import { longestRequest } from "../protocol/attempt-socket.ts";
import type { Confine } from "../protocol/sandbox.ts";
import { socketInSandbox, socketVariable } from "../protocol/socket-place.ts";
import type { AgentPlace, Confinement } from "../runtime/ports.ts";
import { unconfined } from "../runtime/unconfined.ts";
import type { Reach } from "../sandboxes/sandbox.ts";
import type { Settled } from "./sandbox.ts";

interface Place {
  readonly home: string;
  readonly root: string;
  /** The state root from the top of a workspace. */
  prefix(): string;
  /** How this program is started; without it agents have no tools. */
  readonly program: readonly [string, ...string[]] | undefined;
}

export function confinementOf(settled: (Settled & { reach: Reach | null }) | null, place: Place): Confinement {
  if (settled === null) return unconfined;
  const { sandbox, choice, reach } = settled;
  const name = choice.network === "off" ? `${choice.use}, no network` : choice.use;
  if (reach === null) return { ...unconfined, name, agent: (answer) => openPlace(place, answer) };
  const confine =
    (more: Partial<Reach> = {}): Confine =>
    (argv, cwd) =>
      sandbox.confine(argv, cwd, { ...reach, ...more, write: [...reach.write, topOf(cwd, place.prefix())] });
  return {
    name,
    // Ours may have been started by an agent that has one.
    commands: confine({ env: { ...reach.env, [socketVariable]: null } }),
    async agent(answer) {
      const socket = await openSocket(place.home, answer);
      return {
        confine: confine({ shown: [{ from: socket.folder, at: dirname(socketInSandbox) }] }),
        ...offered(place, socketInSandbox),
        letters: { folder: socket.folder, seenAt: dirname(socketInSandbox) },
        close: socket.close,
      };
    },
  };
}

/** Nothing keeps this agent anywhere: it finds its socket where we made it. */
async function openPlace(place: Place, answer: (line: string) => Promise<string>): Promise<AgentPlace> {
  try {
    const socket = await openSocket(place.home, answer);
    const { folder, close } = socket;
    const letters = { folder, seenAt: folder };
    return { confine: undefined, ...offered(place, join(folder, "socket")), letters, close };
  } catch {
    // Where the system has no such sockets an agent works without tools: its verbs reach the journal themselves.
    return { confine: undefined, env: {}, tools: null, letters: null, close: async () => undefined };
  }
}

function offered({ program, root }: Place, socket: string): Pick<AgentPlace, "env" | "tools"> {
  const env = { [socketVariable]: socket };
  if (program === undefined) return { env, tools: null };
  return { env, tools: { command: [...program, "mcp"], env: { ...env, HARNESS_STATE_ROOT: root } } };
}

async function openSocket(home: string, answer: (line: string) => Promise<string>) {
  const sockets = join(home, "sockets");
  mkdirSync(sockets, { recursive: true, mode: 0o700 });
  const folder = await makeOwnFolder(sockets, "a");
  const server = await openLineServer({ directory: folder, maxBytes: longestRequest, answer });
  return {
    folder,
    async close() {
      await server.close();
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {
        // Whoever makes the next one removes what is nobody's: the agent's work does not fail for it.
      }
    },
  };
}

/** The whole checkout, of which a program is started in the state root. */
function topOf(cwd: string, prefix: string): string {
  if (prefix === "") return cwd;
  return prefix.split("/").reduceRight((path, part) => (basename(path) === part ? dirname(path) : path), cwd);
}
