// A running program as a sequence of what it prints, for a reader that takes at its own pace.
import { createHandover } from "./handover.ts";
import { createLineBatches } from "./line-batches.ts";
import { type RunOptions, type RunResult, runProcess } from "./run-process.ts";

export interface PrintedLines {
  /** Whole lines with their ends, so that two streams do not tear each other's; a very long line comes in pieces. */
  readonly text: string;
  readonly stream: "stdout" | "stderr";
}

const maxLineLength = 65_536;

/**
 * Yields what `shape` makes of the output – the program waits while nobody reads – and returns the program's end.
 * Left early, it ends the program first.
 */
export async function* processLines<T>(
  options: Omit<RunOptions, "onOutput">,
  shape: (lines: PrintedLines) => T,
): AsyncGenerator<T, RunResult, void> {
  const batches = { stdout: createLineBatches(maxLineLength), stderr: createLineBatches(maxLineLength) };
  const handover = createHandover<PrintedLines>();
  const left = new AbortController();
  const leave = (): void => left.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", leave, { once: true });
  if (options.signal?.aborted) leave();
  const running = runProcess({
    ...options,
    signal: left.signal,
    async onOutput(text, stream) {
      for (const lines of batches[stream].push(text)) await handover.give({ text: lines, stream });
    },
  }).finally(() => handover.close());
  // Its error is thrown where it is awaited below, which may be later than Node is ready to wait.
  running.catch(() => undefined);
  try {
    for (let lines = await handover.take(); lines !== null; lines = await handover.take()) yield shape(lines);
    const result = await running;
    for (const stream of ["stdout", "stderr"] as const) {
      for (const text of batches[stream].flush()) yield shape({ text, stream });
    }
    return result;
  } finally {
    leave();
    handover.close();
    options.signal?.removeEventListener("abort", leave);
    await running;
  }
}
