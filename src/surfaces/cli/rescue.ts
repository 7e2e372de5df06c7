// `harness rescue`: what was set aside before a rollback (rule A6). Only a person lets anything of it go.
import { resolve } from "node:path";
import {
  dropRescue,
  expiredAmong,
  findRescue,
  listRescues,
  loadConfig,
  type Project,
  type PutAway,
  rescuedFiles,
  restoreRescue,
} from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import { asking, canAsk } from "./ask.ts";
import { refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { findProject, withMission } from "./mission-access.ts";
import { listText, rescueRow, showText } from "./rescue-text.ts";

export type RescueVerb = "list" | "show" | "restore" | "drop";
export interface RescueOptions {
  readonly to?: string;
  readonly expired?: true;
  readonly yes?: true;
  readonly json?: true;
}

interface Asked {
  readonly name: string | undefined;
  readonly options: RescueOptions;
  readonly project: Project;
  readonly context: Context;
}
/** What to print, or an exit code of its own. */
type Answer = Outcome<{ readonly text: string; readonly data: unknown; readonly code?: ExitCode }>;

const cannot: Record<RescueVerb, string> = {
  list: "cannot list what was set aside",
  show: "cannot show it",
  restore: "nothing was restored",
  drop: "nothing was dropped",
};

export async function rescue(
  verb: RescueVerb,
  name: string | undefined,
  options: RescueOptions,
  context: Context,
): Promise<ExitCode> {
  const project = await findProject(context);
  if (!project.ok) return refuse(context, cannot[verb], project.failure);
  const answer = await verbs[verb]({ name, options, project: project.value, context });
  if (!answer.ok) return refuse(context, cannot[verb], answer.failure);
  if (options.json) writeJson(context.stdout, answer.value.data);
  else writeLine(context.stdout, answer.value.text);
  return answer.value.code ?? exitCodes.done;
}

const verbs: Record<RescueVerb, (asked: Asked) => Promise<Answer>> = { list, show, restore, drop };

async function list({ project }: Asked): Promise<Answer> {
  const all = await listRescues(project);
  return all.ok ? succeeded({ text: listText(all.value), data: all.value.map(rescueRow) }) : all;
}

async function show(asked: Asked): Promise<Answer> {
  const found = await named(asked, "show");
  if (!found.ok) return found;
  const files = await rescuedFiles(asked.project, found.value);
  if (!files.ok) return files;
  const data = { ...rescueRow(found.value), files: files.value };
  return succeeded({ text: showText(found.value, files.value), data });
}

async function restore(asked: Asked): Promise<Answer> {
  const { options, project, context } = asked;
  const found = await named(asked, "restore");
  if (!found.ok) return found;
  const directory = resolve(context.cwd, options.to ?? `rescued-${found.value.name.replace("/", "-")}`);
  const restored = await restoreRescue(project, found.value, directory);
  if (!restored.ok) return restored;
  const { left, nested } = restored.value;
  const lines = [
    `Restored ${found.value.name} to ${directory}`,
    ...left.map((path) => `  not written, for it is no file: ${oneLine(path)}`),
    ...nested.map((path) => `  a repository of the agent's, with its own configuration: ${oneLine(path)}`),
  ];
  return succeeded({ text: lines.join("\n"), data: { name: found.value.name, ...restored.value } });
}

async function drop(asked: Asked): Promise<Answer> {
  const { options, project, context } = asked;
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return failed(forbidden);
  const chosen = options.expired ? await expired(asked) : await oneOf(asked);
  if (!chosen.ok) return chosen;
  const names = chosen.value.map(({ name }) => name);
  if (names.length === 0) return succeeded({ text: "Nothing has expired.", data: [] });
  const agreed = options.yes ? "yes" : await agreement(names, context);
  if (!agreed) return failed({ kind: "usage", message: "nobody was asked", remedy: "say it with --yes" });
  if (agreed !== "yes") {
    const code = agreed === "cancelled" ? exitCodes.interrupted : exitCodes.done;
    return succeeded({ text: "Nothing was dropped", data: [], code });
  }
  for (const one of chosen.value) {
    const dropped = await dropRescue(project, one);
    if (!dropped.ok) return dropped;
  }
  return succeeded({ text: `Dropped ${names.join(", ")}`, data: names });
}

async function oneOf(asked: Asked): Promise<Outcome<readonly PutAway[]>> {
  const found = await named(asked, "drop");
  return found.ok ? succeeded([found.value]) : found;
}

/** Null where there is nobody to ask. */
async function agreement(names: readonly string[], context: Context): Promise<"yes" | "no" | "cancelled" | null> {
  if (!canAsk(context)) return null;
  const yes = await asking(context, ({ confirm }) => confirm(`Drop ${names.join(", ")} for good?`, false));
  return yes === null ? "cancelled" : yes ? "yes" : "no";
}

function expired({ project, context }: Asked): Promise<Outcome<readonly PutAway[]>> {
  return withMission(context, async (mission) => {
    const config = await loadConfig({ root: project.root, env: context.env });
    if (!config.ok) return config;
    const all = await listRescues(project);
    if (!all.ok) return all;
    const { tasks } = await mission.refresh();
    const isCompleted = (task: string): boolean => tasks.get(task)?.phase.status === "completed";
    return succeeded(expiredAmong(all.value, { ...config.value.rescue, now: Date.now(), isCompleted }));
  });
}

async function named({ name, project }: Asked, verb: RescueVerb): Promise<Outcome<PutAway>> {
  if (name !== undefined) return findRescue(project, name);
  return failed({
    kind: "usage",
    message: "no name was given",
    remedy: `harness rescue list, then: harness rescue ${verb} NAME`,
  });
}
