// How a validation judges what is there before anybody works on it: a red one is told before anything is spent.
import type { ReadonlyState } from "../core/state.ts";
import { type Outcome, succeeded } from "../protocol/failure.ts";
import type { Verdict } from "../protocol/gate.ts";
import type { Validation } from "../protocol/task.ts";
import { checkGate } from "./performers/gate.ts";
import type { Ports } from "./ports.ts";

interface Place {
  readonly ports: Ports;
  readonly state: ReadonlyState;
}

/**
 * In the proof of the first lane, set up as for any attempt, so that the first one finds it set up. Must be called while
 * no run is on. Nothing of it is recorded: its processes end with ours.
 */
export async function judgeBaseline(
  { ports, state }: Place,
  { command, timeoutMs }: Validation,
  signal: AbortSignal,
): Promise<Outcome<Verdict>> {
  const head = await ports.workspaces.head();
  if (!head.ok) return head;
  const answer = await checkGate({
    effect: {
      kind: "gate.check",
      id: `baseline/${ports.newId()}`,
      task: "baseline",
      attempt: 1,
      lane: 0,
      run: "baseline",
      fence: state.fence,
      gate: { use: "command", options: { command, timeoutMs } },
      which: "full",
      candidate: { commit: head.value, parent: head.value },
    },
    ports,
    state,
    left: [],
    signal,
    announce: async () => true,
    flushViews: async () => undefined,
    spoke: async () => undefined,
    checkpoint: async () => succeeded(undefined),
    tell: async () => succeeded([]),
  });
  if (answer.kind === "gate.judged") return succeeded(answer.verdict);
  if (answer.kind === "failed") return { ok: false, failure: answer.failure };
  throw new Error(`a gate was answered with ${answer.kind}`);
}
