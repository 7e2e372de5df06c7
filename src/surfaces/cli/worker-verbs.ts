// `harness claim, renew, checkpoint, done, fail`: the protocol for a script or agent that does the work itself (L4).
// One JSON object on standard output; the exit code is 0 also when the answer is no.
import { isoTime } from "../../kit/iso-time.ts";
import { type Category, type Failure, kindOf, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Trust } from "../../protocol/input.ts";
import type { Mission } from "../../runtime/mission.ts";
import type { HandedIn } from "../../runtime/outside.ts";
import type { Project } from "../../runtime/project.ts";
import { refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type Holding, holdingOf, leaseSeconds, workerId } from "./holding.ts";
import { type PlaceOptions, withMission } from "./mission-access.ts";
import { settleTrust } from "./settle-trust.ts";
import { catchStopSignals } from "./stop-signals.ts";

export interface ClaimOptions {
  readonly trust?: string;
  readonly trustAll?: true;
  readonly here?: true;
  readonly withChanges?: true;
}

export async function claim({ trust, trustAll, here, withChanges }: ClaimOptions, context: Context): Promise<ExitCode> {
  const { env } = context;
  const [worker, seconds] = [workerId(env), leaseSeconds(env)];
  if (!worker.ok) return refuse(context, "nothing was claimed", worker.failure);
  if (!seconds.ok) return refuse(context, "nothing was claimed", seconds.failure);
  const accepted: Trust = trustAll
    ? { how: "all" }
    : trust === undefined
      ? { how: "none" }
      : { how: "hash", hash: trust };
  // Accepting commands, or work in the user's checkout, is the user's word, also when an agent claims.
  const agentsWord = accepted.how === "none" && !here ? null : await refusalOfAgent(context);
  if (agentsWord !== null) return refuse(context, "nothing was claimed", agentsWord);
  if (withChanges && !here) return refuse(context, "nothing was claimed", changesElsewhere);
  const place = here ? ({ workspace: "in-place", withChanges: withChanges === true } as const) : {};
  return answer(context, { claimed: false }, claimed, place);

  async function claimed(mission: Mission, signal: AbortSignal, project: Project): Promise<Outcome<object>> {
    if (!worker.ok || !seconds.ok) throw new Error("checked above");
    const trusted = await settleTrust(mission, project, accepted, { env: context.env });
    if (!trusted.ok) return trusted;
    const request = { worker: worker.value, leaseSeconds: seconds.value, trust: trusted.value };
    const given = await mission.outside.claim(request, signal);
    if (!given.ok) return given;
    const { task, title, claim, workspace, base, leaseExpiresAt, env } = given.value;
    return succeeded({
      claimed: true,
      worker_id: given.value.worker,
      task_id: task,
      title,
      lease_expires_at: isoTime(leaseExpiresAt),
      fence: claim,
      workspace,
      base,
      // For the worker to set: its validation will find the same.
      ...(Object.keys(env).length > 0 && { env }),
    });
  }
}

const changesElsewhere = {
  kind: "usage",
  message: "--with-changes is for work in this checkout: other workspaces begin with what is committed",
  remedy: "commit the changes, or add --here",
} as const;

export const renew = (task: string | undefined, context: Context): Promise<ExitCode> =>
  answer(context, { renewed: false }, async (mission) => {
    const holding = holdingOf(task, context.env, mission.state());
    if (!holding.ok) return holding;
    const renewed = await mission.outside.renew(holding.value);
    if (!renewed.ok) return renewed;
    return succeeded({ renewed: true, task_id: holding.value.task, lease_expires_at: isoTime(renewed.value) });
  });

export interface CheckpointOptions {
  readonly step: number;
  readonly total: number;
}

export const checkpoint = (
  task: string | undefined,
  description: string,
  { step, total }: CheckpointOptions,
  context: Context,
): Promise<ExitCode> =>
  answer(context, { recorded: false }, async (mission) => {
    const holding = holdingOf(task, context.env, mission.state());
    if (!holding.ok) return holding;
    const marked = await mission.outside.checkpoint(holding.value, { step, total, description });
    if (!marked.ok) return marked;
    const lease = marked.value === null ? {} : { lease_expires_at: isoTime(marked.value) };
    return succeeded({ recorded: true, task_id: holding.value.task, step, total, ...lease });
  });

export const done = (task: string | undefined, context: Context): Promise<ExitCode> =>
  answer(context, { done: false }, async (mission, signal) => {
    const holding = holdingOf(task, context.env, mission.state());
    if (!holding.ok) return holding;
    const ended = await mission.outside.done(holding.value, "handed in", signal);
    return ended.ok ? succeeded(handedIn("done", holding.value, ended.value)) : ended;
  });

export interface FailOptions {
  readonly category: Category;
}

export const fail = (
  task: string | undefined,
  text: string,
  { category }: FailOptions,
  context: Context,
): Promise<ExitCode> =>
  answer(context, { failed: false }, async (mission, signal) => {
    const holding = holdingOf(task, context.env, mission.state());
    if (!holding.ok) return holding;
    const failure: Failure = { kind: kindOf(category), message: text };
    const ended = await mission.outside.fail(holding.value, failure, signal);
    if (!ended.ok) return ended;
    const { value } = ended;
    const status = value.completed ? "completed" : value.status;
    return succeeded({ failed: true, task_id: holding.value.task, status });
  });

function handedIn(verb: string, { task }: Holding, outcome: HandedIn): object {
  return outcome.completed
    ? { [verb]: true, task_id: task, commit: outcome.commit }
    : { [verb]: false, task_id: task, status: outcome.status, error: outcome.failure.message, ...evidenceOf(outcome) };
}

const evidenceOf = ({ failure }: Extract<HandedIn, { completed: false }>): object => ({
  ...(failure.remedy !== undefined && { next: failure.remedy }),
  ...(failure.evidence !== undefined && { evidence: failure.evidence }),
});

async function answer(
  context: Context,
  no: object,
  work: (mission: Mission, signal: AbortSignal, project: Project) => Promise<Outcome<object>>,
  place: PlaceOptions = {},
): Promise<ExitCode> {
  const stop = catchStopSignals(() => undefined);
  try {
    // What the verb answers is never a failure of the command; what keeps it from asking at all is.
    const asked = async (mission: Mission, project: Project) => succeeded(await work(mission, stop.signal, project));
    const answered = await withMission(context, asked, place);
    if (!answered.ok) return refuse(context, "the mission cannot be asked", answered.failure);
    writeLine(
      context.stdout,
      JSON.stringify(answered.value.ok ? answered.value.value : { ...no, ...errorOf(answered.value.failure) }),
    );
    return stop.signal.aborted ? exitCodes.interrupted : exitCodes.done;
  } finally {
    stop.release();
  }
}

const errorOf = ({ message, remedy, evidence }: Failure): object => ({
  error: message,
  ...(remedy === undefined ? {} : { next: remedy }),
  ...(evidence === undefined ? {} : { evidence }),
});
