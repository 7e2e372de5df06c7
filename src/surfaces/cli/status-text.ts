// The status as text: mission, sessions, counts, a line per task, the last lines of the log.

import { budgetText, forecastText } from "../../core/views/budget.ts";
import { statusPage } from "../../core/views/status-page.ts";
import { usedText } from "../../core/views/used.ts";
import { waitText } from "../../core/views/wait-text.ts";
import { oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import type { StatusView } from "../../protocol/view.ts";
import type { Paint } from "./paint.ts";
import { taskText } from "./task-text.ts";

export interface Status {
  readonly view: StatusView;
  /** The process of a run that never said that it ended. */
  readonly gone: number | null;
  /** The last lines of the log. */
  readonly log: readonly string[];
}

export const statusText = (status: Status, paint: Paint): string =>
  [...headLines(status), ...taskLines(status, paint), ...tailLines(status, paint)].join("\n");

/** Cut to what fits into `rows`: tasks that are done, then those that wait, are left out first. */
export function statusLines(status: Status, rows: number): readonly string[] {
  const plain: Paint = (_colour, text) => text;
  const head = headLines(status);
  const tail = tailLines(status, plain);
  const room = rows - head.length - tail.length;
  const all = taskLines(status, plain).flatMap((text) => text.split("\n"));
  if (all.length <= room) return [...head, ...all, ...tail];
  const { tasks } = status.view;
  const open = tasks.filter((task) => task.status !== "completed" && task.status !== "pending");
  const shown = [...open, ...tasks.filter((task) => task.status === "pending")].slice(0, Math.max(0, room - 1));
  const lines = shown.map((task) => taskText({ ...task, lastError: null }, plain));
  return [...head, ...lines, moreText(tasks.length - shown.length), ...tail];
}

function headLines({ view, gone }: Status): readonly string[] {
  const { mission, stats } = view;
  const used = usedText(view.used);
  const running = view.lanes === 1 ? "on 1 lane" : `on ${view.lanes} lanes`;
  const state = mission.state === "idle" ? "idle" : `${mission.state}${view.lanes > 0 ? ` ${running}` : ""}`;
  const last = view.lastSessionAt === null ? "" : `, the last ended ${isoTime(view.lastSessionAt)}`;
  return [
    `mission   ${mission.id} – ${gone === null ? state : `its run is gone (pid=${gone}); \`harness run\` continues it`}`,
    `branch    ${mission.branch}`,
    ...(view.sandbox === null ? [] : [`sandbox   ${oneLine(view.sandbox)}`]),
    `sessions  ${view.sessions}${last}`,
    ...view.waits.map((wait) => `agent     ${oneLine(`${waitText(wait)}: ${wait.message}`)}`),
    `tasks     ${stats.total}: ${countsText(view)}`,
    ...(view.roundsOver === null ? [] : [`rounds    ${oneLine(view.roundsOver)}`]),
    ...(used === null ? [] : [`used      ${used}`]),
    ...(view.forecast === null ? [] : [`cost      ${forecastText(view.forecast)}`]),
    ...(view.budget === null ? [] : [`budget    ${budgetText(view.budget)}`]),
  ];
}

/** All of them in a short plan; in a long one those that want attention, and how many more there are. */
function taskLines({ view }: Status, paint: Paint): readonly string[] {
  const shown = statusPage(view.tasks);
  const more = view.stats.total - shown.length;
  return [...shown.map((task) => taskText(task, paint)), ...(more > 0 ? [moreText(more)] : [])];
}

const moreText = (count: number): string => `… and ${count} more (harness tasks)`;

function tailLines({ view, log }: Status, paint: Paint): readonly string[] {
  const waiting = view.waitingFor.map(({ name, question }) =>
    paint("yellow", oneLine(`waiting for a person – ${name}: ${question} (harness approve ${name})`)),
  );
  return [...waiting, ...nextLines(view), ...log.map((line) => paint("dim", line))];
}

function nextLines({ stats, finished, mission }: StatusView): readonly string[] {
  if (stats.total === 0) return ['next      harness add "what to do" --validate "command that checks it"'];
  if (finished.waiting === 0 || mission.state !== "idle") return [];
  const are = finished.waiting === 1 ? "1 finished task is" : `${finished.waiting} finished tasks are`;
  return [`next      harness accept – ${are} not in your branch yet`];
}

const countsText = ({ stats }: StatusView): string =>
  [
    `${stats.completed} completed`,
    `${stats.inProgress} in progress`,
    `${stats.pending} pending`,
    `${stats.failed} failed`,
    `${stats.blocked} blocked`,
  ].join(", ");
