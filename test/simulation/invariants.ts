// Watches the journal event by event and says what must never happen. Written against the rules, not against the code:
// where the core keeps an index, this looks at everything.

import { maxRepairs } from "../../src/core/decide/repair.ts";
import { emptyState } from "../../src/core/empty-state.ts";
import { evolve } from "../../src/core/evolve/evolve.ts";
import type { State, TaskState } from "../../src/core/state.ts";
import type { EventOf, Recorded } from "../../src/protocol/event.ts";
import { isOutsideRun } from "../../src/protocol/ids.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { bestByTheRules, isOutOfIterations } from "./best-task.ts";
import { BudgetCheck } from "./budget-check.ts";
import { CircleCheck } from "./circle-check.ts";
import { cover } from "./covering.ts";
import { type FakeAgent, promise } from "./fake-agent.ts";
import { GateCheck } from "./gate-check.ts";
import { LaneCheck } from "./lane-check.ts";
import { LeftCheck } from "./leaving.ts";
import { RoundsCheck } from "./rounds-check.ts";
import { UsedCheck } from "./used.ts";
import { WaitCheck } from "./wait-check.ts";
import type { World } from "./world.ts";

export class InvariantBroken extends Error {}

export class Observer {
  readonly #world: World;
  readonly state: State = emptyState();
  #fence = 0;
  /** Attempts whose workspace holds failed work that is not put away yet. */
  readonly #unarchived = new Set<string>();
  readonly #wrote = new Map<string, { readonly task: string; readonly attempt: number }>();
  /** Conflicts that an iteration has to repair: the files, by task. */
  readonly #inConflict = new Map<string, readonly string[]>();
  /** Whether the last iteration of a task promised that it is done. */
  readonly #promised = new Map<string, boolean>();
  readonly #used = new UsedCheck();
  readonly #waits: WaitCheck;
  readonly #budget: BudgetCheck;
  readonly #left: LeftCheck;
  readonly #circles: CircleCheck;
  readonly #rounds: RoundsCheck;
  readonly #lanes: LaneCheck;
  readonly #toldTimes = new Map<string, number>();
  /** Commands of proposals that a person said yes to. */
  readonly #agreed = new Set<string>();
  readonly #gates: GateCheck;

  constructor(world: World) {
    this.#world = world;
    this.#waits = new WaitCheck(world.coverage);
    this.#budget = new BudgetCheck(world.coverage);
    this.#left = new LeftCheck(world.coverage);
    this.#gates = new GateCheck(world.coverage, (holds, what) => this.#must(holds, what));
    this.#circles = new CircleCheck(world.coverage);
    this.#rounds = new RoundsCheck(world.coverage);
    this.#lanes = new LaneCheck(world.coverage);
  }

  fail(what: string): never {
    throw new InvariantBroken(what);
  }
  #must(holds: boolean, what: string): void {
    if (!holds) this.fail(`${what} (position ${this.state.position})`);
  }

  /** Looks at everything appended since the last call. */
  watch(): void {
    const { events } = this.#world.journal;
    while (this.state.position < events.length) {
      const stored = events[this.state.position];
      if (stored === undefined) return;
      const event = decodeEvent(stored);
      this.#must(event.at >= this.state.at, `PR-19: time went back at ${event.type}`);
      for (const wrong of this.#waits.look(event, this.state)) this.#must(false, wrong);
      for (const wrong of this.#budget.look(event, this.state)) this.#must(false, wrong);
      for (const wrong of this.#left.look(event, this.state, this.#world)) this.#must(false, wrong);
      this.#lanes.look(event, this.state);
      this.#before(event);
      const late = this.#rounds.look(event, this.state);
      this.#must(late === null, String(late));
      evolve(this.state, event);
      cover(this.#world, this.state, event);
      this.#always();
      const wrong =
        this.#circles.look(event, this.state) ?? this.#used.look(event, this.state) ?? this.#budget.folded(this.state);
      this.#must(wrong === null, String(wrong));
    }
  }

  /** Whatever an agent ever wrote is in the mission branch, in a workspace or in an archive. */
  nothingIsLost(): void {
    const { merges, archives, disk } = this.#world.repository;
    const places = [...merges(), ...archives(), ...disk.slots.values()];
    for (const { task, attempt } of this.#wrote.values()) {
      this.#must(
        places.some((place) => place.task === task && place.attempt === attempt),
        `PR-3: what ${task} wrote in attempt ${attempt} is gone`,
      );
    }
  }

  /** An agent of a run that was replaced must have been ended before its workspace goes to somebody else. */
  agentActs({ request, identity }: FakeAgent): void {
    this.watch();
    const phase = this.state.tasks.get(request.task)?.phase;
    const owner = phase?.status === "in_progress" && phase.attempt.number === request.attempt;
    this.#must(
      owner,
      `PR-4: agent ${identity.pid} of ${request.task} attempt ${request.attempt} acts after its attempt`,
    );
    this.#must(
      phase?.status === "in_progress" && phase.attempt.stage === "working",
      "an agent acts outside its iteration",
    );
    const announced = [...this.state.pending.values()].some(({ processes }) =>
      processes.some(({ pid }) => pid === identity.pid),
    );
    this.#must(announced, `process ${identity.pid} acts before it was journalled`);
    this.#wrote.set(`${request.task}/${request.attempt}`, request);
  }

  /** An outside worker writes where it was sent; whether in time is told by its claim. */
  holds(task: string, claim: number, path: string): boolean {
    this.watch();
    const phase = this.state.tasks.get(task)?.phase;
    const attempt = phase?.status === "in_progress" ? phase.attempt : undefined;
    const there = this.#world.repository.disk.slots.get(path);
    const alone = there === undefined || there.task === task;
    this.#must(alone, `PR-4: the workspace that ${task} was given now belongs to ${there?.task}`);
    if (attempt?.claim !== claim || attempt.stage !== "working") return false;
    this.#wrote.set(`${task}/${attempt.number}`, { task, attempt: attempt.number });
    return true;
  }

  #taskIn(event: Recorded): TaskState | undefined {
    const pending = "id" in event ? this.state.pending.get(event.id)?.effect : undefined;
    const effect = event.type === "effect.requested" ? event.effect : pending;
    const id = "task" in event ? event.task : effect && "task" in effect ? effect.task : undefined;
    return typeof id === "string" ? this.state.tasks.get(id) : undefined;
  }

  #before(event: Recorded): void {
    this.#gates.look(event, this.#taskIn(event));
    switch (event.type) {
      case "task.claimed":
        return this.#claim(event);
      case "effect.adopted":
        this.#must(event.fence > this.#fence, "L3: a fence did not grow");
        this.#fence = event.fence;
        return;
      case "attempt.failed":
        if (this.#attempt(event.task).path !== null) this.#unarchived.add(event.task);
        return this.#conflictFailed(event);
      case "attempt.rebased":
        this.#inConflict.set(
          event.task,
          event.files.map(({ path }) => path),
        );
        return;
      case "iteration.ended":
        return this.#heard(event);
      case "candidate.committed":
        return this.#committed(event);
      case "run.faulted":
        // The archive itself failed: the work stays in its slot, and whoever opens that must put it away.
        if (event.task !== null && this.#stageOf(event.task) === "archiving") this.#unarchived.delete(event.task);
        return;
      case "attempt.archived":
        this.#unarchived.delete(event.task);
        return;
      case "gate.judged":
        return this.#gates.judged(event, this.#task(event.task));
      case "phase.passed":
        return this.#gates.phasePassed(event, this.#task(event.task));
      case "task.completed":
        this.#gates.completed(event, this.#task(event.task));
        this.#must(this.#isPromised(event.task), `I2: ${event.task} completed without a promise`);
        return;
      case "run.ended":
        return this.#ended(event);
      case "agent.handedOff":
        return event.hash === null ? this.#told(event, event.type) : undefined;
      case "agent.found":
        return event.file === undefined ? this.#told(event, event.type) : undefined;
      case "agent.noted":
      case "agent.proposed":
        return this.#told(event, event.type);
      case "approval.asked":
        if (event.from !== undefined && event.proposal === undefined) this.#told(event.from, event.type);
        return;
      case "approval.granted": {
        const proposal = this.state.approvals.get(event.name)?.proposal;
        if (proposal != null) this.#agreed.add(proposal.validation.command);
        return;
      }
      case "task.added": {
        const { validation, extra } = event.spec;
        const isAgents = extra.proposed_by !== undefined && validation !== null;
        const accepted = isAgents ? this.#agreed.has(validation.command) || validation.command === "true" : true;
        this.#must(accepted, `T: ${event.spec.id} of an agent has a command that nobody accepted`);
        return;
      }
      default:
        return;
    }
  }

  /** Of an outside worker its verb is its word. */
  #heard({ task, end }: Recorded<EventOf<"iteration.ended">>): void {
    const isWord = end.reason === "finished" && (end.message === promise || isOutsideRun(this.#attempt(task).run));
    this.#promised.set(task, isWord);
  }
  /** Repairs end without one. */
  #isPromised(task: string): boolean {
    const isAsked = this.#task(task).spec.loop !== undefined && this.#attempt(task).repairs === 0;
    return !isAsked || this.#promised.get(task) === true;
  }

  /** MCP2, MCP7: only by the agent of an attempt that is at work, and so often at most. */
  #told({ task, attempt }: { readonly task: string; readonly attempt: number }, what: string): void {
    const { number, stage } = this.#attempt(task);
    this.#must(number === attempt && stage === "working", `MCP2: ${what} for ${task}, which is ${stage}`);
    const key = `${task}/${attempt}/${what}`;
    const times = (this.#toldTimes.get(key) ?? 0) + 1;
    this.#toldTimes.set(key, times);
    const most = { "approval.asked": 3, "agent.proposed": 5, "agent.found": 10 }[what] ?? 20;
    this.#must(times <= most, `MCP7: ${what} of ${task} for the ${times}th time in one attempt`);
  }

  /** G5: looked at in the repository itself, whatever the workspaces say. */
  #committed({ task, commit }: Recorded<EventOf<"candidate.committed">>): void {
    const { disk } = this.#world.repository;
    const made = disk.known(commit);
    for (const file of this.#inConflict.get(task) ?? []) {
      const text = made === undefined ? null : disk.textAt(made, file);
      this.#must(text?.includes("<<<<<<<") !== true, `G5: ${task} has a candidate with conflict markers in ${file}`);
    }
    if (this.#inConflict.has(task)) this.#world.coverage.hit("conflict repaired");
    this.#inConflict.delete(task);
  }

  #conflictFailed({ task, failure, costs }: Recorded<EventOf<"attempt.failed">>): void {
    this.#inConflict.delete(task);
    if (failure.kind !== "merge_conflict" && failure.kind !== "unresolved") return;
    this.#must(costs === "nothing", `G5: the conflict of ${task} was charged`);
    const { coverage } = this.#world;
    if (failure.kind === "unresolved") coverage.hit("conflict markers left");
    if (this.#attempt(task).repairs === maxRepairs) coverage.hit("limit repairs");
  }

  #claim(event: Recorded<EventOf<"task.claimed">>): void {
    const { state } = this;
    this.#must(event.fence > this.#fence, "L3: a fence did not grow");
    this.#fence = event.fence;
    this.#must(!state.paused, "C2: claimed while paused");
    this.#must(state.untrusted.size === 0, "T: claimed with commands that nobody accepted");
    this.#must(
      !this.#world.plan.initScript || state.preparation.passed,
      "S1: claimed before the environment was found healthy",
    );
    this.#must(
      ![...state.approvals.values()].some(
        ({ task, proposal }) => (task ?? event.task) === event.task && proposal === null,
      ),
      "claimed while held by a question",
    );
    const able = [...state.runs.values()].some(({ ending, claims }) => ending === null && claims !== 0);
    this.#must(able, "claimed by a run that is ending, or has taken all it may");
    this.#must(!state.retiredLanes.has(event.lane), "L2: claimed for a lane that an outside worker may still write in");
    this.#must(event.task === bestByTheRules(this.state), `K3: ${event.task} is not the best task`);
    const lanes = [...state.working].map((id) => this.#attempt(id).lane);
    this.#must(!lanes.includes(event.lane), `lane ${event.lane} carries two attempts`);
    this.#must(!this.#unarchived.has(event.task), "A5: claimed again before the failed work was put away");
  }

  #ended(event: Recorded<EventOf<"run.ended">>): void {
    const { state } = this;
    const done = state.counts.completed === state.tasks.size;
    if (event.reason === "completed") this.#must(done, "ended as completed with work left");
    if (event.reason === "failed") {
      this.#must(
        !done && bestByTheRules(this.state) === undefined && state.working.size === 0,
        "gave up with work left",
      );
    }
    if (event.reason === "lost" || event.reason === "lapsed") this.#lost(event.run);
    if (event.reason === "waiting") this.#must(state.approvals.size > 0, "waits for nobody");
    if (event.reason === "limit")
      this.#must(
        state.sessions === state.mission?.limits.maxSessions || isOutOfIterations(state) || this.#rounds.isOver(state),
        "S2, I1, B3: stopped before a limit",
      );
  }

  /** PR-4, PR-19: who is awake and says so in time is never taken for gone, whatever the wall clock does. */
  #lost(run: string): void {
    const owner = this.state.runs.get(run)?.owner;
    const process = this.#world.processes.find(({ identity }) => identity.pid === owner?.pid);
    if (process === undefined || isOutsideRun(run)) return;
    const awake = process.alive && !process.presumedDead && !process.wasFrozen && this.#world.isBeating(process);
    this.#must(!awake, `L2: ${process.name} lives, and was taken for gone`);
    if (process.alive) this.#world.coverage.hit("fault a lease ran out");
  }

  #always(): void {
    const { state } = this;
    const limits = state.mission?.limits;
    if (limits === undefined) return;
    this.#must(state.sessions <= limits.maxSessions, "S2: a session too many");
    this.#must((state.session?.settled ?? 0) <= limits.maxTasksPerSession, "S2: a task too many in a session");
    for (const task of state.tasks.values()) this.#aTask(task, limits);
    this.#must(this.#lanes.isHeld(state), "more attempts than lanes");
    const shared = state.mission?.concurrency === "concurrent" || state.runs.size < 2;
    this.#must(shared, "L1: two runs in an exclusive mission");
    const { counts } = state;
    const sum = counts.pending + counts.completed + counts.failed + counts.blocked + state.working.size;
    this.#must(sum === state.tasks.size, "N3: the counts are not the plan");
    this.#merges();
    this.#accepted();
  }

  #aTask({ spec, phase, attempts, interruptions }: TaskState, limits: NonNullable<State["mission"]>["limits"]): void {
    this.#must(attempts <= spec.maxAttempts, `B1: ${spec.id} has an attempt too many`);
    this.#must(interruptions <= limits.maxFreeInterruptions, `B1: ${spec.id} has a free interruption too many`);
    const effects = [...this.state.pending.values()].filter(
      ({ effect }) => effect.kind !== "session.prepare" && effect.task === spec.id,
    );
    if (phase.status === "in_progress") {
      this.#must(phase.attempt.repairs <= maxRepairs, `G5: ${spec.id} was repaired once too often`);
      this.#must(
        phase.attempt.iteration - phase.attempt.delays <= (spec.loop?.maxIterations ?? limits.maxIterations),
        `I3: ${spec.id} has an iteration too many`,
      );
      this.#must(effects.length <= 1, `${spec.id} waits for two things`);
    } else {
      this.#must(effects.length === 0, `${spec.id} is ${phase.status} and waits for something`);
    }
  }

  /** At the end of a transaction nothing hangs in the air: between its events it may. */
  atRest(): void {
    this.watch();
    for (const id of this.state.working) {
      this.#must(this.#attempt(id).effect !== null, `${id} is in progress and waits for nothing`);
    }
    for (const { spec, phase } of this.state.tasks.values()) {
      if (phase.status === "blocked") {
        const cause = this.#task(phase.by).phase;
        this.#must(
          cause.status === "blocked" || (cause.status === "failed" && cause.final),
          `K2: ${spec.id} is blocked by ${phase.by}, which is ${cause.status}`,
        );
      }
      if (phase.status !== "pending") continue;
      for (const id of spec.dependsOn) {
        const cause = this.#task(id).phase;
        this.#must(
          !(cause.status === "blocked" || (cause.status === "failed" && cause.final)),
          `K2: ${spec.id} waits for ${id}, which is lost`,
        );
      }
    }
  }

  #merges(): void {
    const merged = new Map<string, number>();
    for (const { task } of this.#world.repository.merges()) merged.set(task, (merged.get(task) ?? 0) + 1);
    for (const [task, times] of merged) this.#must(times === 1, `PR-5: ${task} was merged ${times} times`);
    for (const { spec, phase } of this.state.tasks.values()) {
      if (phase.status !== "completed") continue;
      const merge = this.#world.repository.merges().find(({ task }) => task === spec.id);
      this.#must(merge?.commit === phase.commit, `PR-5: ${spec.id} is completed but was not merged as recorded`);
    }
  }

  /** What the journal calls accepted is in the user's branch; the mission branch has every commit once. */
  #accepted(): void {
    const { user, log } = this.#world.repository;
    for (const { spec, phase, accepted, dropped } of this.state.tasks.values()) {
      const isOut = phase.status === "completed" && phase.commit !== null && user.dropped.get(phase.commit) === dropped;
      this.#must(dropped === null || isOut, `G5: ${spec.id} was dropped and is still there`);
      this.#must(accepted === null || user.accepted.has(spec.id), `G5: ${spec.id} was not brought to the user`);
    }
    const ids = log().map(({ id }) => id);
    this.#must(new Set(ids).size === ids.length, "G5: a commit is in the mission branch twice");
  }

  #task(id: string): TaskState {
    return this.state.tasks.get(id) ?? this.fail(`${id} is not in the plan`);
  }
  #attempt(id: string) {
    const { phase } = this.#task(id);
    return phase.status === "in_progress" ? phase.attempt : this.fail(`${id} is not in progress`);
  }
  #stageOf(id: string): string | null {
    const { phase } = this.#task(id);
    return phase.status === "in_progress" ? phase.attempt.stage : null;
  }
}
