// What went wrong with a view, told once: a view may lag, and must neither stop the mission nor fill the screen.
import { oneLine } from "../../kit/escape.ts";
import { causeOf } from "../../kit/file-error.ts";
import type { Failure } from "../../protocol/failure.ts";
import { codeOf } from "./durable-file.ts";

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: "free some space: what is missing is written with the next change",
  EDQUOT: "free some space: what is missing is written with the next change",
  EACCES: "make the directory writable: what is missing is written with the next change",
  EPERM: "make the directory writable: what is missing is written with the next change",
  EROFS: "make the directory writable: what is missing is written with the next change",
  ELOOP: "a link is not followed here: replace it by a file of its own, or remove it",
};

export class Troubles {
  readonly #tell: (failure: Failure) => void;
  /** View → kinds told since it was last well. */
  readonly #told = new Map<string, Set<string>>();

  constructor(tell: (failure: Failure) => void) {
    this.#tell = tell;
  }

  /** Null when it failed; whatever the reason, the mission goes on. */
  async guard<T>(view: string, work: () => Promise<T>): Promise<T | null> {
    try {
      const result = await work();
      this.#told.delete(view);
      return result;
    } catch (error) {
      this.#report(view, error);
      return null;
    }
  }

  #report(view: string, error: unknown): void {
    const code = codeOf(error);
    const told = this.#told.get(view) ?? new Set();
    if (told.has(code)) return;
    this.#told.set(view, told.add(code));
    const message = oneLine(`${view} could not be brought up to date: ${causeOf(error)}`, 4_000);
    const remedy = remedies[code];
    this.#tell({ kind: "env_setup", message, ...(remedy !== undefined && { remedy }) });
  }
}
