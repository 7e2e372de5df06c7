// Questions to a person at a terminal. Ctrl-C and Ctrl-D take back the whole command.
import { createInterface } from "node:readline/promises";
import type { Context } from "./context.ts";

/** An answer that is not good enough, in words for whoever gave it. */
export class BadAnswer extends Error {}

export interface Questions {
  /** What `read` makes of the answer; an empty answer is `fallback`. Asked again after a BadAnswer. */
  ask<T>(question: string, fallback: string, read: (answer: string) => T): Promise<T>;
  confirm(question: string, fallback: boolean): Promise<boolean>;
}

export const canAsk = ({ stdin, stdout }: Context): boolean => stdin.isTTY === true && stdout.isTTY === true;

/** Null when the person cancelled: then nothing of it counts. */
export async function asking<T>(
  { stdin, stdout }: Pick<Context, "stdin" | "stdout">,
  work: (questions: Questions) => Promise<T>,
): Promise<T | null> {
  const lines = createInterface({ input: stdin, output: stdout });
  const closed = new AbortController();
  // Both keys end the interface; a question would wait for ever then.
  lines.once("close", () => closed.abort());
  const ask: Questions["ask"] = async (question, fallback, read) => {
    for (;;) {
      const shown = fallback === "" ? `${question}: ` : `${question} [${fallback}]: `;
      const answer = (await lines.question(shown, { signal: closed.signal })).trim();
      try {
        return read(answer === "" ? fallback : answer);
      } catch (error) {
        if (!(error instanceof BadAnswer)) throw error;
        stdout.write(`  ${error.message}\n`);
      }
    }
  };
  const confirm: Questions["confirm"] = (question, fallback) =>
    ask(`${question} (y/n)`, fallback ? "y" : "n", (answer) => {
      if (/^(y|yes)$/i.test(answer)) return true;
      if (/^(n|no)$/i.test(answer)) return false;
      throw new BadAnswer("Please answer y or n.");
    });
  try {
    return await work({ ask, confirm });
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    stdout.write("\n");
    return null;
  } finally {
    lines.close();
  }
}
