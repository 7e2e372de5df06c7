// The sandbox of Linux: bwrap, which any user may run where the kernel lets users have namespaces of their own.
import { findProgram } from "../../kit/find-program.ts";
import type { Sandbox } from "../sandbox.ts";
import { bwrapArguments } from "./arguments.ts";
import { guardsForRoot } from "./for-root.ts";
import { tryForbiddenActs } from "./probe.ts";

/** `program` is the path of bwrap; `directory` where it may keep things of its own, out of everybody's reach. */
export function createBubblewrap(program: string, directory: string): Sandbox {
  const sandbox: Sandbox = {
    name: "bubblewrap",
    async confine(argv, cwd, reach) {
      const more = await guardsForRoot(directory);
      return { argv: [program, ...bwrapArguments(argv, cwd, reach, more)], monitored: true };
    },
    probe: (reach, place) => tryForbiddenActs(sandbox, reach, place),
  };
  return sandbox;
}

/**
 * Null where there is none. Looked for in absolute directories of the PATH only, and in none of `notIn`: what an agent or
 * a repository can write must not become its own guard.
 */
export async function findBubblewrap(path: string | undefined, notIn: readonly string[]): Promise<string | null> {
  const folders = (path ?? "/usr/local/bin:/usr/bin:/bin")
    .split(":")
    .filter((folder) => folder.startsWith("/") && !notIn.some((top) => folder === top || folder.startsWith(`${top}/`)));
  return folders.length === 0 ? null : findProgram("bwrap", { cwd: "/", env: { PATH: folders.join(":") } });
}
