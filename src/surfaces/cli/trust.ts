// `harness trust`: what a project wants to run, and the user's word about it (rule T). For the user only.
import { acceptances, dropAcceptances, keepAcceptance } from "../../compose.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { asking, canAsk } from "./ask.ts";
import { callerText, refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";
import { listText, type Waiting, waitingText } from "./trust-text.ts";

export type TrustVerb = "show" | "list" | "accept" | "revoke";
export interface TrustOptions {
  readonly json?: true;
}

interface Told {
  readonly text: string;
  readonly data: unknown;
  readonly code?: ExitCode;
}
interface Asked {
  readonly hash: string | undefined;
  readonly context: Context;
}

const verbs: Record<TrustVerb, (asked: Asked) => Promise<Outcome<Told>>> = { show, list, accept, revoke };

export async function trust(
  verb: TrustVerb,
  hash: string | undefined,
  { json }: TrustOptions,
  context: Context,
): Promise<ExitCode> {
  const forbidden = verb === "accept" || verb === "revoke" ? await refusalOfAgent(context) : null;
  const told = forbidden === null ? await verbs[verb]({ hash, context }) : failed(forbidden);
  if (!told.ok) return refuse(context, `trust ${verb}`, told.failure);
  if (json) writeJson(context.stdout, told.value.data);
  else writeLine(context.stdout, told.value.text);
  return told.value.code ?? exitCodes.done;
}

const nothingWaits = "Nothing of this project waits for your word.";

async function waitingIn(context: Context): Promise<Outcome<Waiting | null>> {
  return withMission(context, async (mission, { root }) => {
    const waiting = await mission.untrusted();
    return succeeded(waiting === null ? null : { root, ...waiting });
  });
}

async function show({ context }: Asked): Promise<Outcome<Told>> {
  const waiting = await waitingIn(context);
  if (!waiting.ok) return waiting;
  if (waiting.value === null) return succeeded({ text: nothingWaits, data: null });
  const { hash } = waiting.value;
  return succeeded({
    text: `${waitingText(waiting.value)}\nnext  harness trust accept ${hash}`,
    data: waiting.value,
    code: exitCodes.waiting,
  });
}

async function list({ context }: Asked): Promise<Outcome<Told>> {
  const all = await acceptances(context.env);
  return all.ok ? succeeded({ text: listText(all.value), data: all.value }) : all;
}

async function accept({ hash, context }: Asked): Promise<Outcome<Told>> {
  const waiting = await waitingIn(context);
  if (!waiting.ok) return waiting;
  const { value } = waiting;
  if (value === null) return succeeded({ text: nothingWaits, data: null });
  if (hash !== undefined && hash !== value.hash) return failed(otherHash(hash, value));
  if (hash === undefined) {
    const agreed = await agreement(value, context);
    if (agreed === null) return failed(nobodyAsked(value));
    if (agreed !== "yes") {
      const code = agreed === "cancelled" ? exitCodes.interrupted : exitCodes.done;
      return succeeded({ text: "Nothing was accepted.", data: null, code });
    }
  }
  const kept = await keepAcceptance(context.env, { ...value, what: [...value.what], at: Date.now() });
  if (!kept.ok) return kept;
  return succeeded({ text: `Accepted ${value.hash} for ${value.root}`, data: value });
}

const otherHash = (hash: string, { hash: now }: Waiting): Failure => ({
  kind: "usage",
  message: `${hash} is not what this project wants to run now (${now})`,
  remedy: "read it again: harness trust show",
});
const nobodyAsked = ({ hash }: Waiting): Failure => ({
  kind: "usage",
  message: "nobody was asked: this is no terminal",
  remedy: `harness trust show, then: harness trust accept ${hash}`,
});

/** Shows everything, then asks; null where there is nobody to ask. */
export async function agreement(waiting: Waiting, context: Context): Promise<"yes" | "no" | "cancelled" | null> {
  if (!canAsk(context)) return null;
  writeLine(context.stdout, waitingText(waiting));
  const yes = await asking(context, ({ confirm }) => confirm("Accept exactly this for this project?", false));
  return yes === null ? "cancelled" : yes ? "yes" : "no";
}

/** Also what the mission's journal says: the next run asks again. */
async function revoke({ hash, context }: Asked): Promise<Outcome<Told>> {
  return withMission(context, async (mission, { root }) => {
    const revoked = await mission.submit({ type: "trust.revoke", by: callerText(context.env) });
    if (!revoked.ok) return revoked;
    const dropped = await dropAcceptances(
      context.env,
      (one) => one.root === root && (hash === undefined || one.hash === hash),
    );
    if (!dropped.ok) return dropped;
    return succeeded({ text: `Taken back: the next run of ${root} asks again.`, data: dropped.value });
  });
}
