// Ends a program after a while for a reason, unless it is given another while, or another reason, before.

export interface Watch {
  /** Aborts with the outer one, or when a while is over. */
  readonly signal: AbortSignal;
  /** Replaces what was said before. */
  endIn(ms: number, why: Why): void;
  /** null: it was not us. */
  endedBy(): Why | null;
  close(): void;
}
type Why = "result" | "silence";

/** A longer delay would overflow and fire at once. */
const maxTimerMs = 2_147_483_647;

export function createWatch(outer: AbortSignal): Watch {
  const controller = new AbortController();
  let ended: Why | null = null;
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => controller.abort(outer.reason);
  outer.addEventListener("abort", onAbort, { once: true });
  if (outer.aborted) onAbort();
  return {
    signal: controller.signal,
    endIn(ms, why) {
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          if (controller.signal.aborted) return;
          ended = why;
          controller.abort();
        },
        Math.min(ms, maxTimerMs),
      );
    },
    endedBy: () => ended,
    close() {
      clearTimeout(timer);
      outer.removeEventListener("abort", onAbort);
    },
  };
}
