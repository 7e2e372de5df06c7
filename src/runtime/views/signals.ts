// Files in `.harness/signals/` ask for more care: `pause` and `stop`. Nothing follows from a file's disappearance (C2).
import { type FSWatcher, watch } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../kit/make-folder.ts";

export const signalsFolder = (root: string): string => join(root, ".harness", "signals");

const names = ["pause", "stop"] as const;
type Signal = (typeof names)[number];

export interface SignalOptions {
  readonly root: string;
  /** Called for each appearance; a file that is there from the start has appeared. */
  readonly on: Readonly<Record<Signal, () => void>>;
  readonly pollMs?: number;
}

export interface Signals {
  /** Looks now; resolves when what is there was told. */
  check(): Promise<void>;
  close(): void;
}

/** Keeps no process alive. */
export function watchSignals({ root, on, pollMs = 1_000 }: SignalOptions): Signals {
  const folder = signalsFolder(root);
  const present = new Set<Signal>();
  let closed = false;
  let watcher: FSWatcher | null = null;
  let turn: Promise<void> = Promise.resolve();

  const look = async (): Promise<void> => {
    for (const name of names) {
      const isThere = await exists(join(folder, name));
      if (closed) return;
      if (!isThere) present.delete(name);
      else if (!present.has(name)) {
        present.add(name);
        on[name]();
      }
    }
  };
  const check = (): Promise<void> => {
    // Looks must not overtake each other, or one appearance would be told twice.
    turn = turn.then(look);
    return turn;
  };
  const startWatching = async (): Promise<void> => {
    try {
      await makeFolder(folder);
      if (closed) return;
      watcher = watch(folder, { persistent: false }, () => void check());
      watcher.on("error", () => watcher?.close());
    } catch {
      // No watches left, or a folder that cannot be made: the poll finds the files all the same.
    }
  };

  const poll = setInterval(() => void check(), pollMs).unref();
  turn = startWatching().then(look);
  return {
    check,
    close() {
      closed = true;
      clearInterval(poll);
      watcher?.close();
    },
  };
}

/** Whatever it is, also a link to nowhere: somebody asked. */
const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
