// Who asks: a person in a terminal, or an agent at work in a lane.
import { hostname, userInfo } from "node:os";
import { oneLine } from "../../kit/escape.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Environment } from "../../runtime/project.ts";

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
 * A guard against well-meaning agents: one that hides what it is must be kept out by its sandbox.
 */
export function refusalOfAgent(env: Environment): Failure | null {
  if (env.HARNESS_LANE === undefined) return null;
  return {
    kind: "usage",
    message: "an agent asked for it, and this is for the user to say",
    remedy: "leave the wish in your last words; the user answers it in a terminal of their own",
  };
}
