// Events as lines of the log (rules N1, N2): `[time] [SESSION-N] TYPE [task]? [CATEGORY]? message`, one line each.
import { oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import type { Recorded } from "../../protocol/event.ts";
import { categoryOf, type Failure } from "../../protocol/failure.ts";
import { isOutsideRun, shortCommit, type TaskId } from "../../protocol/ids.ts";
import type { Stats } from "../../protocol/view.ts";
import { filesText, othersText } from "../conflict-text.ts";
import { handedOffText, refusedText } from "../left-text.ts";
import { amountText, capsText, reachedText } from "./budget.ts";
import { waitText } from "./wait-text.ts";

/** What a line needs beyond its event: which session is open, and what a task is called. */
export interface LogContext {
  readonly session: number;
  readonly titleOf: (task: TaskId) => string;
}

/** Null for events that have no line: they stay in the journal. */
export function logLine(event: Recorded, context: LogContext): string | null {
  const text = lineText(event, context);
  if (text === null) return null;
  return `[${isoTime(event.at)}] [SESSION-${context.session}] ${oneLine(text)}`;
}

function lineText(event: Recorded, { titleOf }: LogContext): string | null {
  switch (event.type) {
    case "mission.created":
      return `INIT Harness initialized for project ${event.root}`;
    case "plan.adopted":
      return `WARN plan adopted from ${event.source}`;
    case "commands.trusted":
      return `WARN commands of the project accepted (${event.how === "all" ? "--trust-all" : `--trust ${event.hash}`})`;
    case "trust.revoked":
      return `WARN what was accepted of the project was taken back (${event.by})`;
    case "session.checked":
      return `INIT Environment health check: ${event.passed ? "PASS" : "FAIL"}`;
    case "task.retried":
      return `WARN [${event.task}] one more attempt was asked for (max_attempts=${event.maxAttempts})`;
    case "task.reset":
      return `WARN [${event.task}] reset: pending again, attempts=0`;
    case "loop.revised":
      return `WARN [${event.task}] resumed with max_iterations=${event.loop.maxIterations} completion_promise=${event.loop.promise}`;
    case "task.unblocked":
      return `WARN [${event.task}] no longer blocked`;
    case "task.edited":
      return `WARN [${event.spec.id}] changed by a person`;
    case "task.splitProposed":
      return `WARN [${event.task}] timed out twice: split it into smaller tasks`;
    case "cleanup.ended":
      return event.failure === null ? null : `WARN [${event.task}] cleanup failed: ${event.failure.message}`;
    case "run.started":
      return isOutsideRun(event.run) ? null : `LOCK acquired (pid=${event.owner.pid})`;
    case "sandbox.changed":
      return `WARN sandbox is ${event.sandbox} from now on`;
    case "barrier.changed":
      return event.phases === null
        ? "WARN phases of the plan bind nothing from now on"
        : `WARN phases of the plan begin one after the other from now on: ${event.phases.join(", ")}`;
    case "mission.configured":
      return `WARN concurrency_mode is ${event.concurrency} from now on`;
    case "mission.placed":
      return `WARN workspaces are ${event.workspace} from now on, on branch ${event.branch}`;
    case "run.ended":
      if (event.reason === "lapsed") return `WARN lease ended: ${event.detail}`;
      if (isOutsideRun(event.run)) return null;
      return event.reason === "lost" ? `WARN Removed stale lock from ${event.detail}` : "LOCK released";
    case "lock.reclaimed":
      return `WARN Removed stale lock from pid=${event.pid}`;
    case "attempt.opened":
      return `Starting [${event.task}] ${titleOf(event.task)} (base=${shortCommit(event.base)})`;
    case "task.completed":
      return `Completed [${event.task}] (commit ${shortCommit(event.commit)})${event.unverified ? " UNVERIFIED: nothing checked it" : ""}`;
    case "agent.checkpointed":
      return `CHECKPOINT [${event.task}] step=${event.checkpoint.step}/${event.checkpoint.total} "${event.checkpoint.description}"`;
    case "agent.noted":
      return `WARN [${event.task}] note: ${event.text}`;
    case "agent.handedOff":
      return `WARN [${event.task}] handed off: ${handedOffText(event.handoff)}`;
    case "left.refused":
      return `WARN [${event.task}] ${refusedText(event)}`;
    case "agent.found":
      return `WARN [${event.task}] finding ${event.number} for the inbox: ${event.title}`;
    case "agent.proposed":
      return `WARN [${event.task}] proposed a task: ${event.title}${event.added === null ? "" : ` (added as ${event.added})`}`;
    case "approval.withdrawn":
      return `WARN ${event.name} needs no answer any more`;
    case "attempt.failed":
      return event.costs === "attempt"
        ? `${errorText(event.task, event.failure)}${nextText(event.failure)}`
        : `WARN [${event.task}] ${event.failure.message}`;
    case "promise.unkept":
      return `WARN [${event.task}] iteration ${event.iteration} was not the last: ${failureText(event.failure)}`;
    case "phase.passed":
      return `WARN [${event.task}] phase ${event.number} of ${event.of} passed: ${event.phase} (commit ${shortCommit(event.commit)})`;
    case "attempt.archived":
      // The seed's form for "back to this commit"; nothing is reset, the work lies whole where `rescue` says.
      return `ROLLBACK [${event.task}] git reset --hard ${shortCommit(event.base)} rescue=${event.archive}`;
    case "attempt.rebased":
      return `WARN [${event.task}] in conflict with ${othersText(event)} over ${filesText(event)}: to be repaired (base=${shortCommit(event.base)} kept=${shortCommit(event.kept)})`;
    case "attempt.recovered":
      return `RECOVERY [${event.task}] action="${event.action}" reason="${event.reason}"`;
    case "task.abandoned":
      return errorText(event.task, event.failure);
    case "task.blocked":
      return `ERROR [${event.task}] [DEPENDENCY] Blocked by failed ${event.by}`;
    case "run.faulted":
      return event.task === null ? `ERROR ${failureText(event.failure)}` : errorText(event.task, event.failure);
    case "approval.asked":
      return `WARN ${event.task === null ? "" : `[${event.task}] `}waiting for a person: ${event.name}: ${event.question}`;
    case "edit.refused":
      return `WARN ${event.task === null ? "" : `[${event.task}] `}edit of harness-tasks.json not followed: ${event.field}: ${event.why}`;
    case "mission.paused":
      return `WARN paused by ${event.by}`;
    case "mission.resumed":
      return `WARN resumed by ${event.by}`;
    case "run.stopRequested":
      return "WARN stop was asked for";
    case "branch.caughtUp":
      return `WARN mission branch caught up with your branch at ${shortCommit(event.theirs)} (commit ${shortCommit(event.commit)})`;
    case "branch.stayed":
      return `WARN your branch at ${shortCommit(event.theirs)} was not merged into the mission branch: ${event.failure.message}`;
    case "work.dropped":
      return `WARN [${event.task}] dropped (commit ${shortCommit(event.commit)})`;
    case "work.accepted":
      return `WARN accepted into ${event.branch} (commit ${shortCommit(event.commit)}): ${event.tasks.join(", ")}`;
    case "work.held":
      return `WARN finished work waits: ${event.failure.message}`;
    case "wait.started":
      return `WARN ${waitText(event)} kind=${event.kind}: ${event.message}`;
    case "wait.ended":
      return `WARN waited for ${event.agent || "the agent"}: it is tried again`;
    case "budget.set":
      return `WARN budget is ${event.budget === null ? "not capped" : capsText(event.budget)} from now on`;
    case "budget.raised":
      return "WARN budget raised: as much again as was set";
    case "budget.warned":
      return `WARN budget: ${amountText(event.of, event.used)} of ${amountText(event.of, event.cap)} used`;
    case "budget.reached":
      return `WARN ${reachedText(event)}`;
    case "stats.taken":
    case "session.ended":
      return statsText(event.stats);
    default:
      return null;
  }
}

const failureText = (failure: Failure): string => `[${categoryOf(failure.kind)}] ${failure.message}`;
const errorText = (task: TaskId, failure: Failure): string => `ERROR [${task}] ${failureText(failure)}`;

/** Only where a person would otherwise not know what to do: most failures are dealt with by the next attempt. */
const nextText = ({ kind, remedy }: Failure): string =>
  kind === "stuck" && remedy !== undefined ? `; next: ${remedy}` : "";

export const statsText = (stats: Stats): string =>
  `STATS tasks_total=${stats.total} completed=${stats.completed} failed=${stats.failed} pending=${stats.pending} ` +
  `blocked=${stats.blocked} attempts_total=${stats.attempts} checkpoints=${stats.checkpoints}`;
