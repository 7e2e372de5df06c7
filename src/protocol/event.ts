// All facts, past tense. The journal holds nothing else, and the state is nothing but their fold.
import * as z from "zod";
import { Account } from "./account.ts";
import { AdoptedTask } from "./adopted.ts";
import { IterationTold, ProcessIdentity } from "./agent.ts";
import { approvalFacts } from "./approval-facts.ts";
import { branchFacts } from "./branch-facts.ts";
import { budgetFacts } from "./budget.ts";
import { Rebased } from "./conflict.ts";
import { Effect } from "./effect.ts";
import { Failure } from "./failure.ts";
import { Verdict } from "./gate.ts";
import { CommitId, EffectId, RunId, TaskId } from "./ids.ts";
import { leftFacts } from "./left.ts";
import { phaseFacts } from "./phases.ts";
import { runFacts } from "./run-facts.ts";
import { sessionFacts } from "./session-facts.ts";
import { Checkpoint, Concurrency, Limits, Loop, TaskSpec, WorkspaceKind } from "./task.ts";
import { toldFacts } from "./told.ts";
import { waitFacts } from "./wait.ts";

const recovery = { row: z.string(), action: z.string(), reason: z.string() };
const of = { task: TaskId, attempt: z.int().positive() };

/** Type → fields. A change of fields adds an upcaster in upgrade.ts, which raises the version. */
const bodies = {
  "mission.created": z.object({
    mission: z.string(),
    branch: z.string(),
    root: z.string(),
    limits: Limits,
    concurrency: Concurrency,
  }),
  /** Both only while nobody works on it (L2); `placed` is where attempts work from now on, and the branch that goes with it. */
  "mission.configured": z.object({ concurrency: Concurrency }),
  "mission.placed": z.object({ workspace: WorkspaceKind, branch: z.string() }),
  "mission.paused": z.object({ by: z.string() }),
  "mission.resumed": z.object({ by: z.string() }),

  /** A plan was found in a file, without a journal, and taken over whole (F6). */
  "plan.adopted": z.object({
    source: z.string(),
    limits: Limits,
    concurrency: Concurrency,
    createdAt: z.number(),
    sessions: z.int().nonnegative(),
    lastSessionAt: z.number().nullable(),
    extra: z.record(z.string(), z.unknown()),
  }),
  "task.adopted": z.object({ task: AdoptedTask }),
  /** The commands that came with an adopted plan may run: this hash covers them (rule T). */
  "commands.trusted": z.object({ hash: z.string(), how: z.enum(["hash", "all"]), project: z.string().nullable() }),
  /** What the project's own files would have us run may run: the user made them with us. */
  "project.trusted": z.object({ hash: z.string() }),
  "trust.revoked": z.object({ by: z.string() }),

  "task.added": z.object({ spec: TaskSpec }),
  /** The whole specification after a change that was asked for. */
  "task.edited": z.object({ spec: TaskSpec, by: z.string().optional() }),
  /** One attempt more than allowed before (K6). */
  "task.retried": z.object({
    task: TaskId,
    maxAttempts: z.int().positive(),
    /** A loop that is resumed goes on counting from here (I4). */
    iterations: z.int().nonnegative().optional(),
    by: z.string().optional(),
  }),
  /** Another limit or promise for a loop that is resumed (I4). */
  "loop.revised": z.object({ task: TaskId, loop: Loop, by: z.string().optional() }),
  /** Pending again with no attempt used (K6). */
  "task.reset": z.object({ task: TaskId, by: z.string().optional() }),
  /** What blocked it is no longer lost (K2). */
  "task.unblocked": z.object({ task: TaskId }),
  /** Two attempts ran out of time: it may be too large (A3). */
  "task.splitProposed": z.object({ task: TaskId }),
  "task.claimed": z.object({ ...of, lane: z.int().nonnegative(), fence: z.int().positive() }),
  /** `unverified`: a loop that ended by its agent's word, because nothing judges it (I2). */
  "task.completed": z.object({ ...of, commit: CommitId, unverified: z.literal(true).optional() }),
  /** The attempt is over and charged; `final`: no attempt is left. */
  "task.failed": z.object({ ...of, final: z.boolean() }),
  /**
   * The attempt is over and was not charged: the task is pending again. `stale`: with a question to a person, and nobody
   * else's fault: a round of such led nowhere (B3).
   */
  "task.returned": z.object({ ...of, stale: z.literal(true).optional() }),
  /** Failed for good without a further attempt. */
  "task.abandoned": z.object({ task: TaskId, failure: Failure }),
  /** A dependency failed for good. */
  "task.blocked": z.object({ task: TaskId, by: TaskId }),

  "attempt.opened": z.object({ ...of, path: z.string(), base: CommitId }),
  "agent.spoke": z.object({ ...of }),
  "agent.checkpointed": z.object({ ...of, checkpoint: Checkpoint }),
  "iteration.ended": z.object({ ...of, iteration: z.int().positive(), ...IterationTold.shape }),
  /** `account`: what its lost agent told before it was gone. `tree`: of its workspace as that was found. */
  "attempt.recovered": z.object({ ...of, ...recovery, account: Account.optional(), tree: z.string().optional() }),
  "attempt.interrupted": z.object({ ...of }),
  /** A person reset the task: what is under way is ended and put away, and nothing of it counts. */
  "attempt.cancelled": z.object({ ...of }),
  "cleanup.ended": z.object({ ...of, failure: Failure.nullable() }),
  "candidate.committed": z.object({ ...of, commit: CommitId, parent: CommitId }),
  /** An iteration of a loop is over, and the next one is to know why it was not the last (I1). */
  "promise.unkept": z.object({ ...of, iteration: z.int().positive(), failure: Failure }),
  "gate.judged": z.object({
    ...of,
    gate: z.string(),
    commit: CommitId,
    verdict: Verdict,
    phase: z.string().optional(),
  }),
  /** The candidate's parent is no longer the head of the mission branch. */
  "candidate.outdated": z.object({ ...of, commit: CommitId }),
  /** Others changed the same files: the work was put onto their result, for an iteration to repair (G5). */
  "attempt.rebased": z.object({ ...of, ...Rebased.shape }),
  "attempt.failed": z.object({ ...of, failure: Failure, costs: z.enum(["attempt", "interruption", "nothing"]) }),
  ...branchFacts,
  ...waitFacts,
  ...budgetFacts,
  ...phaseFacts,
  ...toldFacts,
  ...leftFacts,
  "attempt.archived": z.object({ ...of, archive: z.string(), base: CommitId }),

  "effect.requested": z.object({ effect: Effect }),
  "effect.adopted": z.object({ id: EffectId, run: RunId, fence: z.int().positive() }),
  "effect.answered": z.object({ id: EffectId }),
  "process.started": z.object({ id: EffectId, process: ProcessIdentity }),

  ...approvalFacts,

  ...runFacts,
  ...sessionFacts,

  /** A hand edit of harness-tasks.json that was not followed (F6). */
  "edit.refused": z.object({ task: TaskId.nullable(), field: z.string(), why: z.string() }),
  /** Somebody asked for something that is not possible, or answered late or twice. Nothing changed. */
  "input.refused": z.object({ input: z.string(), subject: z.string(), failure: Failure }),
} as const;

type Bodies = typeof bodies;
export type EventType = keyof Bodies;
export type Event = { [T in EventType]: { readonly type: T } & Readonly<z.infer<Bodies[T]>> }[EventType];
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

/** An event with its moment; `at` never decreases along a journal. */
export type Recorded<E extends Event = Event> = E & { readonly at: number };

export const eventTypes = Object.keys(bodies) as readonly EventType[];
export const isEventType = (type: string): type is EventType => Object.hasOwn(bodies, type);
export const bodySchema = (type: EventType): z.ZodType => bodies[type];
