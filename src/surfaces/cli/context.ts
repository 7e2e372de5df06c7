// What a command may use of the process it runs in, and how it says that it cannot go on.
import type { Failure } from "../../protocol/failure.ts";
import type { Environment } from "../../runtime/project.ts";
import { type ExitCode, exitOfFailure } from "./exit-codes.ts";
import { painterFor } from "./paint.ts";

export interface Context {
  readonly cwd: string;
  readonly env: Environment;
  /** `--root`, if given. */
  readonly root: string | undefined;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export const writeLine = (stream: NodeJS.WritableStream, text: string): void => void stream.write(`${text}\n`);

export const writeJson = (stream: NodeJS.WritableStream, value: unknown): void =>
  writeLine(stream, JSON.stringify(value, null, 2));

/** Says what could not be done, why, and what to do next. The answer is the exit code. */
export function refuse({ stderr, env }: Context, what: string, failure: Failure): ExitCode {
  const paint = painterFor(stderr, env);
  writeLine(stderr, `${paint("red", "error:")} ${what} – ${failure.message}`);
  if (failure.evidence !== undefined) writeLine(stderr, failure.evidence.replaceAll(/^/gm, "    ").trimEnd());
  if (failure.remedy !== undefined) writeLine(stderr, `  next: ${failure.remedy}`);
  return exitOfFailure(failure);
}
