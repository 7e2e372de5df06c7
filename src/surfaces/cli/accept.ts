// `harness accept`: finished work comes into the user's branch (rule G5). For the user only.
import { type PushPlan, planPushOf, pushAs } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { shortCommit } from "../../protocol/ids.ts";
import type { Mission } from "../../runtime/mission.ts";
import type { Project } from "../../runtime/project.ts";
import { asking, canAsk } from "./ask.ts";
import { callerText, refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type MissionState, noMission, withMission } from "./mission-access.ts";
import { catchStopSignals } from "./stop-signals.ts";

export interface AcceptOptions {
  readonly squash?: true;
  readonly pr?: true;
  readonly yes?: true;
  readonly json?: true;
}

const what = "nothing was accepted";

export async function accept(tasks: readonly string[], options: AcceptOptions, context: Context): Promise<ExitCode> {
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return refuse(context, what, forbidden);
  if (options.pr) return pushForReview(tasks, options, context);
  // A first Ctrl-C does not cut it short: it takes a moment, and half of it is nothing.
  const stop = catchStopSignals(() => undefined);
  try {
    const done = await withMission(context, (mission) => acceptIn(mission, tasks, options, callerText(context.env)));
    if (!done.ok) return refuse(context, what, done.failure);
    if (options.json) writeJson(context.stdout, done.value.data);
    else writeLine(context.stdout, done.value.text);
    return exitCodes.done;
  } finally {
    stop.release();
  }
}

type Told = Outcome<{ readonly text: string; readonly data: object }>;

async function acceptIn(
  mission: Mission,
  tasks: readonly string[],
  { squash }: AcceptOptions,
  by: string,
): Promise<Told> {
  if (mission.state().mission === null) return failed(noMission);
  const accepted = await mission.accept({ tasks, squash: squash === true, by });
  if (!accepted.ok) return accepted;
  const { how, branch, commit, tasks: all } = accepted.value;
  const data = { accepted: how !== "present", how, branch, commit, tasks: all };
  if (how !== "present") {
    const count = all.length === 1 ? "1 task" : `${all.length} tasks`;
    const head = `Accepted ${count} into ${oneLine(branch)} (${how}, commit ${shortCommit(commit)}):`;
    return succeeded({ text: [head, ...titles(mission.state(), all)].join("\n"), data });
  }
  const text =
    all.length === 0 ? "Nothing to accept: no task is finished yet" : `Already in ${oneLine(branch)}: ${named(all)}`;
  return succeeded({ text, data });
}

const titles = ({ tasks }: MissionState, ids: readonly string[]): readonly string[] =>
  ids.map((id) => `  ${oneLine(`${id}: ${tasks.get(id)?.spec.title ?? ""}`)}`);

const named = (ids: readonly string[]): string =>
  ids.length <= 10 ? ids.join(", ") : `${ids.slice(0, 10).join(", ")} and ${ids.length - 10} more`;

/** The push itself is the user's: their git, credentials and hooks, and only after they saw it. */
async function pushForReview(tasks: readonly string[], options: AcceptOptions, context: Context): Promise<ExitCode> {
  if (tasks.length > 0) return refuse(context, what, wholeBranch);
  const found = await withMission(context, async (mission, project) => {
    const { mission: about } = mission.state();
    if (about === null) return failed(noMission);
    const plan = await planPushOf(project, about.branch);
    return plan.ok ? succeeded({ plan: plan.value, project }) : plan;
  });
  if (!found.ok) return refuse(context, what, found.failure);
  const { plan, project } = found.value;
  const command = `git ${plan.args.join(" ")}`;
  const { branch, remote } = plan;
  if (options.json) writeJson(context.stdout, { branch, remote, command, commits: plan.commits });
  else writeLine(context.stdout, pushText(plan, command));
  if (remote === null || !(await isWanted(plan, options, context))) return exitCodes.done;
  return pushNow(project, plan, context);
}

const wholeBranch: Failure = {
  kind: "usage",
  message: "--pr is for the whole mission branch, not for single tasks",
  remedy: "leave the tasks out, or accept them into a branch of yours and push that",
};

const pushText = ({ branch, remote, commits }: PushPlan, command: string): string =>
  [
    `branch    ${branch}`,
    ...commits.map((line) => `          ${oneLine(line)}`),
    `command   ${command}`,
    ...(remote === null
      ? ["next      this repository has no remote to choose: add one, or name it in that command"]
      : []),
  ].join("\n");

async function isWanted(
  { branch, remote }: PushPlan,
  { yes, json }: AcceptOptions,
  context: Context,
): Promise<boolean> {
  if (yes) return true;
  if (json || !canAsk(context)) {
    writeLine(context.stderr, "note: nothing was pushed; run that command, or say it again with --yes");
    return false;
  }
  const question = `Push ${branch} to ${remote} now, with your own git and its hooks?`;
  return (await asking(context, ({ confirm }) => confirm(question, false))) ?? false;
}

async function pushNow(project: Project, plan: PushPlan, context: Context): Promise<ExitCode> {
  const code = await pushAs(project, plan);
  if (code === 0) {
    writeLine(context.stderr, `Pushed ${plan.branch} to ${plan.remote}: open a pull request from it there`);
    return exitCodes.done;
  }
  const failure = {
    kind: "env_setup",
    message: `git push ended with ${code}`,
    remedy: "see what it said above",
  } as const;
  return refuse(context, "nothing was pushed", failure);
}
