// Keeps the process from being taken for finished while it waits for nothing but other processes.

/** Node ends a process that waits for no timer, file or socket; a change of a shared file is none of these. */
export async function stayingAlive<T>(work: () => Promise<T>): Promise<T> {
  const release = keepAlive();
  try {
    return await work();
  } finally {
    release();
  }
}

/** So does whoever follows what happens. */
export async function* followedAlive<T>(events: AsyncIterable<T>): AsyncIterable<T> {
  const release = keepAlive();
  try {
    yield* events;
  } finally {
    release();
  }
}

function keepAlive(): () => void {
  const timer = setInterval(() => undefined, 3_600_000);
  return () => clearInterval(timer);
}
