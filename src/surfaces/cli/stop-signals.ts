// Asked to stop once: cleanly, with all work kept. Asked twice: at once.
import { exitCodes } from "./exit-codes.ts";

export interface StopSignals {
  readonly signal: AbortSignal;
  /** Gives the signals back to their usual meaning. */
  release(): void;
}

const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function catchStopSignals(onFirst: () => void): StopSignals {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
    onFirst();
  };
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of names) process.off(name, stop);
    },
  };
}
