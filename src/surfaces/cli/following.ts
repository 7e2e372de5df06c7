// Following: until somebody asks it to stop, or nobody reads any more. Ending it is how it ends: nothing went wrong.
import { once } from "node:events";
import { catchStopSignals } from "./stop-signals.ts";

type Output = NodeJS.WriteStream;

export async function following(stdout: Output, work: (until: AbortSignal) => Promise<void>): Promise<void> {
  const stop = catchStopSignals(() => undefined);
  const left = new AbortController();
  const leave = () => left.abort();
  stdout.once("error", leave);
  try {
    await work(AbortSignal.any([stop.signal, left.signal]));
  } finally {
    stdout.off("error", leave);
    stop.release();
  }
}

/** Resolves when there is room for more: what a slow reader has not taken must not pile up. */
export async function printTo(stdout: Output, text: string): Promise<void> {
  stdout.write(text);
  // Whoever left is told of by `following`, or by the next write.
  if (stdout.writableNeedDrain) await once(stdout, "drain").catch(() => undefined);
}
