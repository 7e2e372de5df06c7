// What a command may use of the process it runs in, and how it says that it cannot go on.
import { oneLine } from "../../kit/escape.ts";
import type { Failure } from "../../protocol/failure.ts";
import { isLockRefusal } from "../../protocol/lock.ts";
import type { Environment } from "../../runtime/project.ts";
import { type ExitCode, exitOfFailure } from "./exit-codes.ts";
import { painterFor } from "./paint.ts";

export interface Context {
  readonly cwd: string;
  readonly env: Environment;
  /** `--root`, if given. */
  readonly root: string | undefined;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export const writeLine = (stream: NodeJS.WritableStream, text: string): void => void stream.write(`${text}\n`);

export const writeJson = (stream: NodeJS.WritableStream, value: unknown): void =>
  writeLine(stream, JSON.stringify(value, null, 2));

/** Says what could not be done, why, and what to do next. The answer is the exit code. */
export function refuse({ stderr, env }: Context, what: string, failure: Failure): ExitCode {
  const paint = painterFor(stderr, env);
  // Refusals of the lock keep the seed's form: scripts look for the whole line (L1).
  const [mark, said] = isLockRefusal(failure) ? ["ERROR:", ""] : ["error:", `${what} – `];
  writeLine(stderr, `${paint("red", mark)} ${said}${failure.message}`);
  if (failure.evidence?.trim()) writeLine(stderr, quotedLines(failure.evidence));
  if (failure.remedy !== undefined) writeLine(stderr, `  next: ${failure.remedy}`);
  return exitOfFailure(failure);
}

/** For what went wrong beside the command, which went on. */
export const warningText = ({ message, remedy }: Failure): string =>
  `warning: ${message}${remedy === undefined ? "" : `\n  next: ${remedy}`}`;

/** Nothing is cut: a person may be about to say yes to exactly this. Nothing in it can act on the terminal. */
export const quotedLines = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `    ${oneLine(line, Number.POSITIVE_INFINITY)}`)
    .join("\n");
