// Effect → performer. The single place where an unknown error of the outside becomes a failure.
import { assertNever } from "../kit/assert-never.ts";
import type { Answer, Effect } from "../protocol/effect.ts";
import type { Failure } from "../protocol/failure.ts";
import { inspectLostAgent, runAgent } from "./performers/agent.ts";
import { cleanUp, prepareSession } from "./performers/command.ts";
import { checkGate } from "./performers/gate.ts";
import type { Performing } from "./performers/performing.ts";
import { waitForAgent } from "./performers/wait.ts";
import {
  archiveWorkspace,
  commitWorkspace,
  mergeWorkspace,
  openWorkspace,
  rebaseWorkspace,
} from "./performers/workspace.ts";

/** Null when the work was interrupted: no answer is given, the effect stays pending for the next run. */
export async function perform(performing: Performing): Promise<Answer | null> {
  const { effect, signal } = performing;
  try {
    const answer = await performerOf(effect)(performing);
    return signal.aborted ? null : answer;
  } catch (error) {
    if (signal.aborted) return null;
    return { kind: "failed", failure: foreign(effect, error) };
  }
}

/**
 * Takes over what an earlier run began. Its processes are ended before anything is looked at; then everything
 * is idempotent and simply done again, except an agent: what it left decides (rule V1).
 */
export async function recover(performing: Performing): Promise<Answer | null> {
  const { ports, effect, left } = performing;
  for (const process of left) await ports.processes.endGroup(process, effect.id);
  if (effect.kind !== "agent.run") return perform(performing);
  try {
    return await inspectLostAgent({ ...performing, effect });
  } catch (error) {
    return { kind: "failed", failure: foreign(effect, error) };
  }
}

function performerOf(effect: Effect): (performing: Performing) => Promise<Answer> {
  switch (effect.kind) {
    case "workspace.open":
      return (performing) => openWorkspace({ ...performing, effect });
    case "agent.run":
      return (performing) => runAgent({ ...performing, effect });
    case "agent.wait":
      return (performing) => waitForAgent({ ...performing, effect });
    case "budget.wait":
      // Begun only when it is over.
      return async () => ({ kind: "budget.waited" });
    case "workspace.commit":
      return (performing) => commitWorkspace({ ...performing, effect });
    case "workspace.rebase":
      return (performing) => rebaseWorkspace({ ...performing, effect });
    case "gate.check":
      return (performing) => checkGate({ ...performing, effect });
    case "workspace.merge":
      return (performing) => mergeWorkspace({ ...performing, effect });
    case "workspace.archive":
      return (performing) => archiveWorkspace({ ...performing, effect });
    case "cleanup.run":
      return (performing) => cleanUp({ ...performing, effect });
    case "session.prepare":
      return (performing) => prepareSession({ ...performing, effect });
    default:
      return assertNever(effect);
  }
}

function foreign(effect: Effect, error: unknown): Failure {
  const text = error instanceof Error ? error.message : String(error);
  const what = effect.kind === "session.prepare" ? effect.kind : `${effect.kind} of ${effect.task}`;
  return {
    kind: "env_setup",
    message: `${what} could not be done: ${text}`.slice(0, 4_000),
    remedy: "mend the cause, then: harness run",
  };
}
