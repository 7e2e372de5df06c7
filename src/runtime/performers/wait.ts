// Waits until an agent may be tried again. Looked at again and again rather than slept through: the wall clock may be
// set, and the machine may sleep; either way the end comes neither late nor – for longer than was decided – never.
import type { Answer } from "../../protocol/effect.ts";
import type { PerformingKind } from "./performing.ts";

const lookEveryMs = 1_000;

export function waitForAgent({ effect, ports, signal, state }: PerformingKind<"agent.wait">): Promise<Answer> {
  const { clock } = ports;
  const begun = clock.monotonic();
  const phase = state.tasks.get(effect.task)?.phase;
  const isReset = phase?.status === "in_progress" && phase.attempt.cancelled;
  // Somebody else's agent: of that the wait says nothing.
  const isOthers = state.runs.get(effect.run)?.agent !== effect.agent;
  const isOver = (): boolean =>
    isReset || isOthers || signal.aborted || clock.now() >= effect.until || clock.monotonic() - begun >= effect.delayMs;
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isOver()) return;
      timer.stop();
      signal.removeEventListener("abort", look);
      resolve({ kind: "agent.waited" });
    };
    const timer = clock.every(lookEveryMs, look);
    signal.addEventListener("abort", look);
    look();
  });
}
