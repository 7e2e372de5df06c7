// Tells a mission's story to the pure core: inputs in, events out, no clock and no shell.
import { decide, react } from "../../src/core/decide/decide.ts";
import { emptyState } from "../../src/core/empty-state.ts";
import { writeSnapshot } from "../../src/core/snapshot.ts";
import type { State } from "../../src/core/state.ts";
import type { Rebased } from "../../src/protocol/conflict.ts";
import type { Answer, AttemptEffect } from "../../src/protocol/effect.ts";
import type { Event, EventOf, EventType } from "../../src/protocol/event.ts";
import type { Asked, Report, TaskRequest } from "../../src/protocol/input.ts";
import { Limits } from "../../src/protocol/task.ts";
import type { Period, WaitKind } from "../../src/protocol/wait.ts";

export const commitOf = (digit: string): string => digit.repeat(40);
export const validation = { command: "test -f a.txt", timeoutMs: 1_000 };
export const owner = { host: "h", bootId: "b", pid: 7, group: 7, startTime: "1" };

export const conflict = {
  kind: "merge_conflict",
  message: "the work does not apply to the mission branch as it is now: a.txt",
  evidence: "task-9: Theirs (9999999)",
} as const;
export const markersLeft = { kind: "unresolved", message: "conflict markers are left in a.txt" } as const;
export const rebasedOnto = (digit: string): Rebased => ({
  base: commitOf(digit),
  kept: commitOf("c"),
  tree: "both",
  files: [{ path: "a.txt", marked: true }],
  fileCount: 1,
  others: [{ commit: commitOf("9"), task: "task-9", subject: "task-9: Theirs" }],
});

type Start = Extract<Report, { type: "run.start" }>;

export class Scene {
  readonly state: State = emptyState();
  readonly events: Event[] = [];
  #at = 1_000;
  #runs = 0;

  constructor(tasks: readonly Partial<TaskRequest>[] = [{}], limits: Partial<Limits> = {}) {
    this.send({ type: "mission.create", mission: "m", branch: "harness/m", root: "/p", limits: Limits.parse(limits) });
    for (const task of tasks) this.send({ type: "task.add", task: { title: "a task", validation, ...task } });
  }

  /** Time that passes before the next input. */
  pass(milliseconds: number): void {
    this.#at += milliseconds;
  }
  /** The moment of the last input. */
  get at(): number {
    return this.#at;
  }

  /** What followed from one input. Deciding must not change what it looks at. */
  send(asked: Asked): readonly Event[] {
    this.#at += 1;
    const before = writeSnapshot(this.state);
    decide(this.state, { ...asked, at: this.#at });
    if (writeSnapshot(this.state) !== before) throw new Error(`decide changed the state at ${asked.type}`);
    const events = react(this.state, { ...asked, at: this.#at });
    this.events.push(...events);
    return events;
  }

  start(lanes = 1, options: Partial<Start> = {}): readonly Event[] {
    this.#runs += 1;
    const usual = {
      worker: "w",
      claims: null,
      leaseSeconds: null,
      gone: [...this.state.runs.keys()].map((run) => ({ run, how: "lost" }) as const),
      removedStale: null,
      initScript: false,
      projectHash: null,
      trust: { how: "none" },
      untrusted: null,
    } as const;
    return this.send({ type: "run.start", run: `run-${this.#runs}`, owner, lanes, ...usual, ...options });
  }
  get run(): string {
    return `run-${this.#runs}`;
  }

  pending(task: string): AttemptEffect {
    const found = [...this.state.pending.values()].find(
      ({ effect }) => effect.kind !== "session.prepare" && effect.task === task,
    );
    if (found === undefined) throw new Error(`${task} waits for nothing`);
    return found.effect as AttemptEffect;
  }
  /** Answers whatever the task waits for now. */
  answer(task: string, answer: Answer): readonly Event[] {
    const { id, fence, run } = this.pending(task);
    return this.send({ type: "effect.answer", run, id, fence, answer });
  }
  open(task: string): void {
    this.answer(task, { kind: "workspace.opened", path: `/w/${task}`, base: commitOf("0") });
  }
  finish(task: string): void {
    this.answer(task, { kind: "agent.ended", end: { reason: "finished", message: "done" } });
    this.answer(task, { kind: "workspace.committed", candidate: { commit: commitOf("a"), parent: commitOf("0") } });
  }
  /** The agent could not serve: its provider says until when, or nobody does. */
  delay(
    task: string,
    kind: WaitKind = "usage_limit",
    until: number | null = null,
    moment: { readonly chance?: number; readonly quiet?: Period[] } = {},
  ): readonly Event[] {
    const failure = { kind, message: "not now" };
    const end = { reason: "delayed", failure, until, chance: 1, ...moment } as const;
    return this.answer(task, { kind: "agent.ended", end });
  }
  waited(task: string): readonly Event[] {
    return this.answer(task, { kind: "agent.waited" });
  }
  /** The agent ends, and its work does not apply to what others merged. */
  collide(task: string): readonly Event[] {
    this.answer(task, { kind: "agent.ended", end: { reason: "finished", message: "done" } });
    return this.answer(task, { kind: "failed", failure: conflict });
  }
  rebase(task: string, rebased: Partial<Rebased> = {}): readonly Event[] {
    return this.answer(task, { kind: "workspace.rebased", ...rebasedOnto("1"), ...rebased });
  }
  judge(task: string, verdict: "pass" | "fail"): void {
    const failure = { kind: "test_fail", message: "red" } as const;
    this.answer(task, {
      kind: "gate.judged",
      verdict: verdict === "pass" ? { verdict, evidence: "" } : { verdict, failure },
    });
  }
  archive(task: string): readonly Event[] {
    return this.answer(task, { kind: "workspace.archived", archive: `/archive/${task}` });
  }
  /** From claim to merge. */
  complete(task: string): readonly Event[] {
    this.open(task);
    this.finish(task);
    this.judge(task, "pass");
    return this.answer(task, { kind: "workspace.merged", commit: commitOf("a") });
  }
  /** From claim to a red gate and the archive. */
  failOnce(task: string): readonly Event[] {
    this.open(task);
    this.finish(task);
    this.judge(task, "fail");
    return this.archive(task);
  }

  all<T extends EventType>(type: T): readonly EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }
  statusOf(task: string): string | undefined {
    return this.state.tasks.get(task)?.phase.status;
  }
  ends(): readonly string[] {
    return this.all("run.ended").map(({ reason }) => reason);
  }
}
