// A running program as a sequence of its output, for a reader that takes at its own pace.
import { createHandover } from "./handover.ts";
import { type RunOptions, type RunResult, runProcess } from "./run-process.ts";

export interface OutputPiece {
  readonly text: string;
  readonly stream: "stdout" | "stderr";
}

/** Yields the output – the program waits while nobody reads – and returns its end. Left early, ends it first. */
export async function* processOutput(
  options: Omit<RunOptions, "onOutput">,
): AsyncGenerator<OutputPiece, RunResult, void> {
  const handover = createHandover<OutputPiece>();
  const left = new AbortController();
  const leave = (): void => left.abort();
  options.signal?.addEventListener("abort", leave, { once: true });
  if (options.signal?.aborted) leave();
  const running = runProcess({
    ...options,
    signal: left.signal,
    onOutput: (text, stream) => handover.give({ text, stream }),
  }).finally(() => handover.close());
  // Its error is thrown where it is awaited below, which may be later than Node is ready to wait.
  running.catch(() => undefined);
  try {
    for (let piece = await handover.take(); piece !== null; piece = await handover.take()) yield piece;
    return await running;
  } finally {
    leave();
    handover.close();
    options.signal?.removeEventListener("abort", leave);
    await running;
  }
}
