// The program: runs one command of the command line and turns its end, however it ends, into an exit code.
import { CommanderError } from "commander";
import { rootAbove } from "../../glance.ts";
import { causeOf, remedyOf } from "../../kit/file-error.ts";
import { createUserRedactor } from "../../kit/known-secrets.ts";
import type { Failure } from "../../protocol/failure.ts";
import { refuse } from "./context.ts";
import { currentFolder } from "./current-folder.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withObjective } from "./objective.ts";
import { createProgram, exitOfUsage } from "./program.ts";
import { safeStream } from "./safe-stream.ts";
import { readVersion } from "./version.ts";

const { stdin, env, argv } = process;
const here = currentFolder();
const cwd = here ?? "/";
const { redact } = createUserRedactor(env, () => rootAbove(cwd, env));
const stdout = safeStream(process.stdout, redact);
const stderr = safeStream(process.stderr, redact);
const world = { cwd, env, stdin, stdout, stderr };
const version = readVersion();

const nowhere: Failure = {
  kind: "env_setup",
  message: "the current folder was removed",
  remedy: "cd to a folder that exists",
};

async function main(): Promise<ExitCode> {
  if (here === null) return refuse({ ...world, root: undefined }, "cannot begin", nowhere);
  let code: ExitCode = exitCodes.done;
  try {
    await createProgram(world, version, (end) => {
      code = end;
    }).parseAsync(argv.length > 2 ? withObjective(argv) : [...argv, "next"]);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return exitOfUsage(error.exitCode);
    return endBadly(error);
  }
}

/** What the machine did to us is told as such; anything else is a bug of ours. */
async function endBadly(error: unknown): Promise<ExitCode> {
  const failure = machineFailure(error);
  if (failure !== null) return refuse({ ...world, root: undefined }, "cannot go on", failure);
  const { writeBugReport } = await import("./bug-report.ts");
  const path = writeBugReport(error, { version, argv, env });
  stderr.write(`error: a bug in Harness – ${error instanceof Error ? error.message : String(error)}\n`);
  stderr.write(`  next: report it with ${path}; the mission's work is kept, and \`harness run\` continues it\n`);
  return exitCodes.bug;
}

/** By name, because the classes would load the journal's schemas before every command. */
const expectedErrors = ["NewerJournalError", "StoreError"];

function machineFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const isExpected = expectedErrors.includes(error.name) || "syscall" in error;
  return isExpected ? { kind: "env_setup", message: causeOf(error).slice(0, 4_000), remedy: remedyOf(error) } : null;
}

for (const stream of [stdout, stderr]) {
  // Whoever read our output has left (`| head`, a closed terminal): the work goes on unseen.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });
}
process.on("uncaughtException", (error) => void endBadly(error).then((code) => process.exit(code)));

/** When the command is over. */
export const ended: Promise<void> = main().then((code) => {
  process.exitCode = code;
});
