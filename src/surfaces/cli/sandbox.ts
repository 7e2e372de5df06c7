// `harness sandbox`: what keeps agents in their place on this machine, and the user's word about doing without (PR-10).
import { dropConsents, keepConsent } from "../../compose.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";
import { sandboxText } from "./run-text.ts";
import { agreesToNone } from "./settle-consent.ts";

export type SandboxVerb = "show" | "consent" | "revoke";
export interface SandboxOptions {
  readonly yes?: true;
  readonly json?: true;
}

interface Found {
  /** Of a run that began now. */
  readonly sandbox: string;
  /** Why this machine has none. */
  readonly lack: string | null;
}

export async function sandbox(verb: SandboxVerb, options: SandboxOptions, context: Context): Promise<ExitCode> {
  const forbidden = verb === "show" ? null : await refusalOfAgent(context);
  const told = forbidden === null ? await verbs[verb](options, context) : failed(forbidden);
  if (!told.ok) return refuse(context, `sandbox ${verb}`, told.failure);
  if (options.json) writeJson(context.stdout, told.value.data);
  else writeLine(context.stdout, told.value.text);
  return exitCodes.done;
}

type Told = Outcome<{ readonly text: string; readonly data: unknown }>;
const verbs: Record<SandboxVerb, (options: SandboxOptions, context: Context) => Promise<Told>> = {
  show,
  consent,
  revoke,
};

/** Tried, not remembered. */
const look = (context: Context): Promise<Outcome<Found>> =>
  withMission(context, async (mission) => {
    const found = await mission.sandbox();
    if (!found.ok && mission.lack() === null) return found;
    return succeeded({
      sandbox: found.ok ? sandboxText(found.value) : `none yet: ${found.failure.message}`,
      lack: mission.lack(),
    });
  });

async function show(_options: SandboxOptions, context: Context): Promise<Told> {
  const found = await look(context);
  return found.ok ? succeeded({ text: found.value.sandbox, data: found.value }) : found;
}

async function consent({ yes }: SandboxOptions, context: Context): Promise<Told> {
  const found = await look(context);
  if (!found.ok) return found;
  const { lack } = found.value;
  if (lack === null) return succeeded({ text: `Nothing to agree to – ${found.value.sandbox}`, data: found.value });
  if (!yes && !(await agreesToNone(lack, context))) return failed(notAgreed);
  const kept = await keepConsent(context.env, lack);
  return kept.ok ? succeeded({ text: `Agreed for this machine: no sandbox, because ${lack}`, data: { lack } }) : kept;
}

const notAgreed: Failure = {
  kind: "trust",
  message: "nobody agreed",
  remedy: "answer y in a terminal, or say it: harness sandbox consent --yes",
};

async function revoke(_options: SandboxOptions, context: Context): Promise<Told> {
  const dropped = await dropConsents(context.env);
  return dropped.ok
    ? succeeded({ text: "Taken back: the next run without a sandbox asks again.", data: null })
    : dropped;
}
