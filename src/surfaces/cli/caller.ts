// Who asks: a person in a terminal, or an agent at work in a lane.
import { realpathSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { resolve } from "node:path";
import { rootAbove } from "../../compose.ts";
import { variablesAbove } from "../../kit/ancestors.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Environment } from "../../runtime/project.ts";
import type { Context } from "./context.ts";

type Asker = Pick<Context, "env" | "cwd" | "root">;

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Not there: then it is no project of anybody's.
    return path;
  }
}

/** As the log names whoever asked: `ada@laptop pid 4711`. */
export const callerText = (env: Environment): string =>
  oneLine(`${userName(env)}@${hostname()} pid ${process.pid}`, 200);

function userName(env: Environment): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return env.USER ?? `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

/**
 * Why an agent may not ask for this, or null for a person. Anyone may ask for more care; only the user for less (C2).
 * Who was started in a lane of this project, or below such a process, is an agent of it, whatever it says of itself. A
 * guard all the same: one that leaves all its ancestors behind must be kept in by its sandbox.
 */
export async function refusalOfAgent({ env, cwd, root }: Asker): Promise<Failure | null> {
  const here = root ?? rootAbove(cwd, env);
  const isOfLane = (lane: string | null | undefined, of: string | null | undefined): boolean =>
    lane != null && (of == null || here === null || realPath(of) === realPath(resolve(cwd, here)));
  const above = await variablesAbove(["HARNESS_LANE", "HARNESS_STATE_ROOT"]);
  const marked =
    isOfLane(env.HARNESS_LANE, env.HARNESS_STATE_ROOT) ||
    above.some((each) => isOfLane(each.HARNESS_LANE, each.HARNESS_STATE_ROOT));
  if (!marked) return null;
  return {
    kind: "usage",
    message: "an agent asked for it, and this is for the user to say",
    remedy: "leave the wish in your last words; the user answers it in a terminal of their own",
  };
}
