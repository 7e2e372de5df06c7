// An async sequence that can be left at any time, even while its next value is awaited.

/**
 * Gives `start` a signal that aborts with `outer` and also as soon as the reader calls `return()`. A generator alone
 * would notice that only at its next `yield`, which may be an hour away.
 */
export function stoppable<T>(
  outer: AbortSignal,
  start: (signal: AbortSignal) => AsyncGenerator<T, void, void>,
): AsyncIterableIterator<T> {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(outer.reason);

  async function* linked(): AsyncGenerator<T, void, void> {
    if (outer.aborted) onAbort();
    outer.addEventListener("abort", onAbort, { once: true });
    try {
      yield* start(stop.signal);
    } finally {
      outer.removeEventListener("abort", onAbort);
    }
  }

  const values = linked();
  return {
    next: () => values.next(),
    return() {
      stop.abort();
      return values.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
