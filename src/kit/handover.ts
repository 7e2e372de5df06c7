// Passes values from hand to hand between async code: whoever gives waits until it is taken.

export interface Handover<T> {
  /** Resolves when the value was taken, or at once when there is nobody to take it any more. */
  give(value: T): Promise<void>;
  /** The next value, or null when closed. */
  take(): Promise<T | null>;
  /** Drops what was not taken. */
  close(): void;
}

export function createHandover<T>(): Handover<T> {
  const offers: { readonly value: T; readonly taken: () => void }[] = [];
  let closed = false;
  let wake = (): void => undefined;
  return {
    give(value) {
      if (closed) return Promise.resolve();
      return new Promise((taken) => {
        offers.push({ value, taken });
        wake();
      });
    },
    async take() {
      while (offers.length === 0 && !closed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const offer = offers.shift();
      offer?.taken();
      return offer?.value ?? null;
    },
    close() {
      closed = true;
      for (const offer of offers.splice(0)) offer.taken();
      wake();
    },
  };
}
