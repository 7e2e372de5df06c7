// What a run says before it starts and after it has ended.
import type { AgentChoice, AgentFacts, SandboxChoice } from "../../compose.ts";
import { budgetText } from "../../core/views/budget.ts";
import { statsText } from "../../core/views/log-line.ts";
import { usedText } from "../../core/views/used.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Integration } from "../../protocol/integration.ts";
import type { Resources } from "../../protocol/resources.ts";
import type { EndReason, StatusView } from "../../protocol/view.ts";

export interface Intro {
  readonly agent: AgentChoice;
  /** What its driver says about it. */
  readonly how: string;
  readonly facts: AgentFacts;
  readonly sandbox: SandboxChoice;
  readonly branch: string;
  readonly lanes: number;
  /** What each program may use, and what must stay free. */
  readonly resources: Resources & { readonly memoryMb: number };
  readonly todo: number;
  readonly total: number;
  /** Files of the user's checkout that no attempt sees. */
  readonly uncommitted: readonly string[];
  /** What else the user may not expect. */
  readonly notes: readonly string[];
}

export function introText(intro: Intro): string {
  const { sandbox, branch, lanes, resources, todo, total, uncommitted, notes } = intro;
  return [
    `agent    ${oneLine(agentText(intro))}`,
    `sandbox  ${sandboxText(sandbox)}`,
    `branch   ${branch}`,
    `lanes    ${lanes}`,
    `limits   ${limitsText(resources)}`,
    `tasks    ${todo} to do, ${total} in the plan`,
    ...(uncommitted.length === 0 ? [] : [uncommittedText(uncommitted)]),
    ...subscriptionText(intro.facts),
    ...notes.map((note) => `note     ${oneLine(note)}`),
  ].join("\n");
}

/** What a cost means where none is charged (B2). */
export const subscriptionText = ({ subscription }: AgentFacts): readonly string[] =>
  subscription === undefined
    ? []
    : [
        `note     your subscription (${oneLine(subscription, 40)}) pays: costs are what the same use costs at list prices; tokens, minutes and the limits of your plan are what bounds it`,
      ];

export const agentText = ({ agent, how, facts: { version, login } }: Pick<Intro, "agent" | "how" | "facts">): string =>
  `${agent.use}${version === null ? "" : ` ${version}`}: ${how}${login === null ? "" : `, login ${login}`}`;

const limitsText = ({ memoryMb, processes, openFiles, diskFloorMb }: Intro["resources"]): string =>
  `each program ${memoryMb} MB of memory, ${processes} processes, ${openFiles} open files; ${diskFloorMb} MB of disk stay free`;
/** What an agent can reach, in a line; there is no way to start one without it. */
export const sandboxText = ({ use, network, why }: SandboxChoice): string =>
  use === "none"
    ? `none: the agent has all your rights on this machine (${oneLine(why ?? "")})`
    : `${use}: the agent writes its workspace only, your home is hidden, network ${network}`;

export function uncommittedText(files: readonly string[], orElse = ""): string {
  const [are, them] = files.length === 1 ? ["file is", "it"] : ["files are", "them"];
  return `note     ${files.length} uncommitted ${are} not included: ${someOf(files)} (commit ${them} to include ${them}${orElse})`;
}

export const someOf = (files: readonly string[]): string =>
  files
    .slice(0, 5)
    .map((file) => oneLine(file))
    .join(", ") + (files.length > 5 ? ", …" : "");

export interface Ended {
  readonly reason: EndReason;
  readonly detail: string;
  readonly view: StatusView;
  /** What nobody could go on with. */
  readonly faults: readonly Failure[];
  /** The log above has the line already. */
  readonly withStats: boolean;
  readonly integration: Integration;
}

export function endText({ reason, detail, view, faults, withStats, integration }: Ended): string {
  const { branch } = view.mission;
  const used = usedText(view.used);
  return [
    ...(withStats ? [statsText(view.stats)] : []),
    `ended: ${meanings[reason]}${detail === "" ? "" : ` – ${oneLine(detail)}`}`,
    ...(used === null ? [] : [`used: ${used}`]),
    ...(view.budget === null ? [] : [`budget: ${budgetText(view.budget)}`]),
    ...view.tasks
      .filter(({ status }) => status === "failed" || status === "blocked")
      .map(
        (task) =>
          `  ${task.id} ${task.status}: ${oneLine(task.lastError ?? "")} (${task.attempts}/${task.maxAttempts})`,
      ),
    ...(view.tasks.some(({ status, attempts }) => status === "failed" && attempts > 0)
      ? ["  next: `harness rescue list` shows the work of attempts that failed"]
      : []),
    ...view.waitingFor.map(({ name, question }) => `  waiting for a person – ${oneLine(`${name}: ${question}`)}`),
    ...faults.flatMap(({ remedy, evidence }) => [
      ...(evidence === undefined ? [] : lastLines(evidence).map((line) => `  | ${oneLine(line)}`)),
      ...(remedy === undefined ? [] : [`  next: ${remedy}`]),
    ]),
    ...(continues.has(reason) ? ["  next: `harness run` with the same flags continues where this run stopped"] : []),
    ...(reason === "budget" ? [moreBudget] : []),
    ...finishedText(branch, view.finished, integration),
  ].join("\n");
}

/** The offer at the end: nothing of the user's moves unless they ask for it. */
function finishedText(
  branch: string,
  { accepted, waiting }: StatusView["finished"],
  integration: Integration,
): readonly string[] {
  if (waiting === 0) return accepted === 0 ? [] : ["all finished work is in your branch"];
  const [are, them] = waiting === 1 ? ["task is", "it"] : ["tasks are", "them"];
  const [command, what] =
    integration === "pr"
      ? ["harness accept --pr", `push ${them}`]
      : ["harness accept", `take ${them} into your branch`];
  return [
    `${waiting} finished ${are} on branch ${branch}:`,
    `  git log ${branch}    to look at ${them}`,
    `  ${command}    to ${what}`,
  ];
}

/** What a program said last tells most. */
const lastLines = (text: string): readonly string[] => text.trimEnd().split("\n").slice(-10);

const meanings: Record<EndReason, string> = {
  completed: "everything is done",
  failed: "some tasks failed for good",
  batch: "one batch is done",
  limit: "a limit was reached",
  budget: "what it may use is used up; all work is kept",
  waiting: "a person must answer first",
  stopped: "stopped",
  environment: "the set-up must be mended first",
  interrupted: "interrupted; all work is kept",
  lost: "another run took over",
  lapsed: "its lease ran out, and another run took over",
};
/** What would let a run go on whose budget is used up. */
const moreBudget =
  "  next: `harness run --max-cost-usd`, `--max-tokens` or `--max-minutes` with more than before goes on with it";
const continues = new Set<EndReason>(["batch", "interrupted", "stopped", "environment"]);
