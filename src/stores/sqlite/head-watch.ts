// Callers that wait for the head to move: told of our own appends at once, of foreign ones by looking.

const lookEveryMs = 50;

export interface WatchedHead {
  /** Cheap; differs from the last answer if someone else has written. */
  version(): number | undefined;
  position(): number;
}

export class HeadWatch {
  readonly #head: WatchedHead;
  readonly #waiting = new Map<() => void, number>();
  #seenVersion: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(head: WatchedHead) {
    this.#head = head;
  }

  async past(after: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#head.position() > after) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        if (this.#waiting.size === 0) this.#stop();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.set(wake, after);
      signal.addEventListener("abort", wake);
      // Waiting is never a reason to stay alive.
      this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
    });
  }

  wake(position: number): void {
    for (const [wake, after] of this.#waiting) if (position > after) wake();
  }

  wakeAll(): void {
    this.wake(Number.POSITIVE_INFINITY);
  }

  #look(): void {
    try {
      // The version is noted before the head is read: a commit in between is seen again at the next look.
      const version = this.#head.version();
      if (version === this.#seenVersion) return;
      this.#seenVersion = version;
      this.wake(this.#head.position());
    } catch {
      // Nobody here can be told; those who wait meet the same trouble at their next call.
      this.wakeAll();
    }
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
