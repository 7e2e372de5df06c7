// Phases of the plan that begin one after the other (rule I8), where that was asked for: a task waits until every task
// of the phases before its own is completed.
import type { ReadonlyState } from "./state.ts";

type Seen = Pick<ReadonlyState, "barrier" | "openInPhase">;

/** The first phase with unfinished tasks that stands before this one; null: nothing keeps its tasks back. */
export function phaseAwaited({ barrier, openInPhase }: Seen, phase: string | null): string | null {
  if (barrier === null || phase === null) return null;
  const place = barrier.indexOf(phase);
  return barrier.slice(0, Math.max(0, place)).find((before) => (openInPhase.get(before) ?? 0) > 0) ?? null;
}

/** Which phases wait for which, as the end of a run tells it. Empty: none. */
export function phasesWaitingText(state: ReadonlyState): string {
  const waiting = new Map<string, string>();
  if (state.barrier === null) return "";
  for (const { spec, phase } of state.tasks.values()) {
    const awaited = phase.status === "pending" ? phaseAwaited(state, spec.phase) : null;
    if (awaited !== null && spec.phase !== null) waiting.set(spec.phase, awaited);
  }
  return [...waiting].map(([phase, awaited]) => `${phase} waits for ${awaited}`).join(", ");
}
