// How things stand before anything is done: what nobody typed is shown, then run, then judged.
import { type OpenedMission, type Project, proposedSetup, trustProject, writeSetup } from "../../compose.ts";
import { type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Verdict } from "../../protocol/gate.ts";
import { Validation } from "../../protocol/task.ts";
import { type Context, writeLine } from "./context.ts";
import { pressedKey } from "./keys.ts";
import type { LoopOptions } from "./loop-options.ts";
import type { Named } from "./loop-text.ts";
import { catchStopSignals } from "./stop-signals.ts";

interface OfferedSetup extends Named {
  write(): Promise<void>;
}

/** One that the project obviously needs and does not have. */
export async function offeredSetup(project: Project, { env }: Context): Promise<Outcome<OfferedSetup | null>> {
  const proposed = await proposedSetup(project, env);
  if (!proposed.ok) return proposed;
  const setup = proposed.value?.setup ?? null;
  if (setup === null || setup.command === undefined || setup.command === null) return succeeded(null);
  const write = async (): Promise<void> => {
    if (await writeSetup(project, setup)) await trustProject(project, env);
  };
  return succeeded({ command: setup.command, from: "found; kept in .harness/config.json", write });
}

/** What nobody typed is run only after somebody saw it. Null: the person left. */
export async function mayTry(
  validation: Named,
  setup: Named | null,
  mayAsk: boolean,
  context: Context,
): Promise<boolean | null> {
  if (!mayAsk || (setup === null && !validation.from.startsWith("found"))) return true;
  const { stdout } = context;
  writeLine(stdout, "To see how things stand, this is run in a checkout of its own:");
  if (setup !== null) writeLine(stdout, `  set-up  ${setup.command}`);
  writeLine(stdout, `  check   ${validation.command}`);
  writeLine(stdout, "\nEnter runs it, s skips it, q leaves");
  const key = await pressedKey(context, ["\r", "s"]);
  return key === null ? null : key === "\r";
}

export async function judged(
  mission: OpenedMission,
  { command }: Named,
  { timeout }: LoopOptions,
  { stdout }: Context,
): Promise<Outcome<Verdict | null>> {
  writeLine(stdout, `looking how things stand: ${command} …`);
  const stop = catchStopSignals(() => undefined);
  try {
    return await mission.baseline(validationOf(command, timeout), stop.signal);
  } finally {
    stop.release();
  }
}

export const validationOf = (command: string, timeout: number | undefined): Validation =>
  Validation.parse({ command, ...(timeout === undefined ? {} : { timeoutMs: timeout * 1_000 }) });
