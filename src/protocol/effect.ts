// Requests to the shell, imperative. They are recorded as events, so a replay never asks for anything again.
import * as z from "zod";
import { Account } from "./account.ts";
import { IterationTold, ProcessIdentity } from "./agent.ts";
import { Amounts } from "./budget.ts";
import { Rebased } from "./conflict.ts";
import { Failure } from "./failure.ts";
import { GateSpec, Verdict } from "./gate.ts";
import { CommitId, EffectId, RunId, TaskId } from "./ids.ts";
import { AcceptHow } from "./integration.ts";
import { Left } from "./left.ts";

export const Accepted = z.object({ how: AcceptHow, branch: z.string(), commit: CommitId, tasks: z.array(TaskId) });
export type Accepted = z.infer<typeof Accepted>;
/** Of the checks of one candidate, cheapest first (G1). */
export const Which = z.enum(["phase-artifacts", "phase-command", "artifacts", "quick", "full"]);
export type Which = z.infer<typeof Which>;
const Candidate = z.object({ commit: CommitId, parent: CommitId });

const owned = {
  id: EffectId,
  /** The run that must perform it, and the number with which it owns the work. */
  run: RunId,
  fence: z.int().positive(),
};
const { id, ...owner } = owned;
const about = { id, task: TaskId, attempt: z.int().positive(), lane: z.int().nonnegative(), ...owner };

export const Effect = z.discriminatedUnion("kind", [
  z.object({
    ...about,
    kind: z.literal("workspace.open"),
    /** Work of an earlier attempt that this one goes on with, if it still applies (A1: features). */
    resume: Candidate.nullable(),
  }),
  z.object({
    ...about,
    kind: z.literal("agent.run"),
    iteration: z.int().positive(),
    path: z.string(),
    base: CommitId,
    timeoutMs: z.int().positive(),
    /** What it is given of the budget; not there when nothing is capped (B2). */
    reserved: Amounts.optional(),
  }),
  /** Before the next iteration: it does not fit into the budget until others have left enough (B2). */
  z.object({ ...about, kind: z.literal("budget.wait") }),
  /** Before the next iteration: its agent cannot serve until then (rule E). */
  z.object({
    ...about,
    kind: z.literal("agent.wait"),
    agent: z.string(),
    until: z.number(),
    delayMs: z.int().nonnegative(),
  }),
  z.object({
    ...about,
    kind: z.literal("workspace.commit"),
    path: z.string(),
    base: CommitId,
    /** The work before a repair: no conflict marker may be left in the files it was in conflict over (G5). */
    kept: CommitId.nullable(),
  }),
  /** Brings the work onto the present head, both sides in the files that are in conflict (G5). */
  z.object({ ...about, kind: z.literal("workspace.rebase"), path: z.string(), base: CommitId }),
  z.object({
    ...about,
    kind: z.literal("gate.check"),
    gate: GateSpec,
    which: Which,
    /** Whose gate it is, of a loop that has phases (I8). */
    phase: z.string().optional(),
    candidate: Candidate,
  }),
  z.object({ ...about, kind: z.literal("workspace.merge"), path: z.string(), candidate: Candidate }),
  z.object({ ...about, kind: z.literal("workspace.archive"), path: z.string() }),
  z.object({ ...about, kind: z.literal("cleanup.run"), gate: GateSpec, base: CommitId }),
  /** Runs harness-init.sh of the project before a session takes work (S1). */
  z.object({ ...owned, kind: z.literal("session.prepare"), session: z.int().positive() }),
]);
export type Effect = z.infer<typeof Effect>;
/** All but the preparation of a session belong to an attempt. */
export type AttemptEffect = Exclude<Effect, { kind: "session.prepare" }>;

export const PendingEffect = z.object({
  effect: Effect,
  /** Announced under it; whoever adopts it ends them first. */
  processes: z.array(ProcessIdentity),
  /** Asked for by an earlier run: to be recovered, not simply performed. */
  adopted: z.boolean(),
});
/** Requested and not answered. */
export type PendingEffect = z.infer<typeof PendingEffect>;

/** What a performer answers; `failed` fits every kind. */
export const Answer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("workspace.opened"),
    path: z.string(),
    base: CommitId,
    /** What came of bringing the mission branch up to date before; null: there was nothing to do. */
    caughtUp: z
      .union([z.object({ theirs: CommitId, commit: CommitId }), z.object({ theirs: CommitId, failure: Failure })])
      .nullish(),
  }),
  z.object({ kind: z.literal("agent.ended"), ...IterationTold.shape, left: Left.optional() }),
  z.object({ kind: z.literal("agent.waited") }),
  z.object({ kind: z.literal("budget.waited") }),
  /** The iteration's process is gone with the run that watched it; this is what its workspace shows. */
  z.object({
    kind: z.literal("agent.lost"),
    uncommitted: z.boolean(),
    commits: z.boolean(),
    tree: z.string(),
    /** What it told before it was gone: at least so much was used. */
    account: Account.optional(),
    /** What it left for us in its workspace (I5, I7). */
    left: Left.optional(),
  }),
  z.object({ kind: z.literal("workspace.committed"), candidate: Candidate }),
  z.object({ kind: z.literal("workspace.rebased"), ...Rebased.shape }),
  z.object({ kind: z.literal("gate.judged"), verdict: Verdict }),
  z.object({
    kind: z.literal("workspace.merged"),
    commit: CommitId,
    /** What came of bringing it into the user's branch at once; null: that was not asked for. */
    accepted: z.union([Accepted, z.object({ failure: Failure })]).nullish(),
  }),
  /** Others merged meanwhile. */
  z.object({ kind: z.literal("workspace.moved") }),
  z.object({ kind: z.literal("workspace.archived"), archive: z.string() }),
  /** Of a cleanup or of harness-init.sh: null when it went well. */
  z.object({ kind: z.literal("command.ended"), failure: Failure.nullable() }),
  z.object({ kind: z.literal("failed"), failure: Failure }),
]);
export type Answer = z.infer<typeof Answer>;
