// After a loop: what was done, the proof of it, and what to do with it.
import { type Changes, changesIn, type Project } from "../../compose.ts";
import { costText, usedView } from "../../core/views/used.ts";
import { type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Loop } from "../../protocol/task.ts";
import type { Mission } from "../../runtime/mission.ts";
import { accept } from "./accept.ts";
import { asking, canAsk } from "./ask.ts";
import { callerText } from "./caller.ts";
import { type Context, quotedLines, writeLine } from "./context.ts";
import { drop } from "./drop.ts";
import { pressedKey } from "./keys.ts";
import { endKeys, endScreenText } from "./loop-text.ts";
import { withMission } from "./mission-access.ts";

export interface Ended {
  readonly project: Project;
  readonly task: string;
  readonly loop: Loop;
  /** Nobody is asked. */
  readonly yes: boolean;
}

const shownDiff = 400;

/** The task to go on with; null: none. */
export async function offerWork(ended: Ended, context: Context): Promise<Outcome<string | null>> {
  const { project, task } = ended;
  const here = { ...context, root: project.root };
  const isAsked = !ended.yes && canAsk(context);
  const seen = await withMission(here, (mission) => look(mission, ended, isAsked));
  if (!seen.ok) return seen;
  const { isDone, isOpen, text, changes } = seen.value;
  if (isOpen) return succeeded(null);
  writeLine(context.stdout, text);
  if (!isAsked) return succeeded(null);
  for (;;) {
    writeLine(context.stdout, `\n${endKeys(isDone)}`);
    const key = await pressedKey(context, isDone ? ["a", "l", "c", "d", "\r"] : ["c", "\r"]);
    if (key === "l") writeLine(context.stdout, diffText(changes));
    else if (key === "c") return isDone ? askedMore(ended, here) : once(ended, here);
    else if (key === "a") {
      await accept([task], {}, here);
      return succeeded(null);
    } else if (key === "d") {
      await drop(task, {}, here);
      return succeeded(null);
    } else return succeeded(null);
  }
}

async function look(mission: Mission, { project, task, loop }: Ended, isAsked: boolean) {
  const state = mission.state();
  const found = state.tasks.get(task);
  const phase = found?.phase;
  const commit = phase?.status === "completed" ? phase.commit : null;
  const changes = commit === null ? null : await changesIn(project, commit);
  const text = endScreenText({
    title: found?.spec.title ?? task,
    status: phase?.status ?? "gone",
    iterations: found?.iterations ?? 0,
    goOn: isAsked ? "c" : resumeText(found?.iterations ?? 0, found?.spec.loop ?? loop),
    cost: found === undefined ? "" : costText(usedView(found.used)),
    commit,
    check: found?.spec.validation?.command ?? "",
    unverified: phase?.status === "completed" && phase.unverified === true,
    changes: changes?.ok ? changes.value.counted : [],
  });
  const isOpen = phase?.status === "pending" || phase?.status === "in_progress";
  return succeeded({ isDone: commit !== null, isOpen, text, changes: changes?.ok ? changes.value : null });
}

/** Where nobody presses keys. */
function resumeText(used: number, { maxIterations }: Pick<Loop, "maxIterations">): string {
  return `harness loop --resume${used < maxIterations ? "" : ` --max-iterations ${used + maxIterations}`}`;
}

function diffText(changes: Changes | null): string {
  if (changes === null) return "The changes cannot be shown";
  const lines = changes.diff.trimEnd().split("\n");
  const rest = lines.length - shownDiff;
  return quotedLines([...lines.slice(0, shownDiff), ...(rest > 0 ? [`… ${rest} more lines`] : [])].join("\n"));
}

/** One more attempt, which goes on with the work of the last. */
const once = ({ task }: Ended, context: Context): Promise<Outcome<string | null>> =>
  withMission(context, async (mission) => {
    const done = await mission.submit({ type: "task.retry", task, by: callerText(context.env) });
    return done.ok ? succeeded(task) : done;
  });

/** More to do, on top of what is done. */
async function askedMore({ task, loop }: Ended, context: Context): Promise<Outcome<string | null>> {
  const more = await asking(context, ({ ask }) => ask("What else", "", (text) => text));
  if (more === null || more === "") return succeeded(null);
  return withMission(context, async (mission) => {
    const { tasks } = mission.state();
    const { validation = null, outputs } = tasks.get(task)?.spec ?? {};
    const added = await mission.submit({
      type: "task.add",
      task: { title: more.slice(0, 200), description: more, kind: "feature", loop, validation, outputs },
    });
    if (!added.ok) return added;
    const event = added.value.find((recorded) => recorded.type === "task.added");
    return succeeded(event?.spec.id ?? task);
  });
}
