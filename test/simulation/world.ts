// A whole world in one seed: a journal and a repository that outlive everything, processes that do not,
// a clock that jumps, agents that misbehave. The runtime in it is the real one.
import type { AgentRequest } from "../../src/drivers/driver.ts";
import type { ProcessIdentity } from "../../src/protocol/agent.ts";
import type { BudgetWish } from "../../src/protocol/budget.ts";
import type { Integration } from "../../src/protocol/integration.ts";
import type { Concurrency, Limits, TaskSpec } from "../../src/protocol/task.ts";
import type { Period } from "../../src/protocol/wait.ts";
import { MemoryLockPlace } from "../../src/runtime/lock/memory-lock.ts";
import type { Mission } from "../../src/runtime/mission.ts";
import { createMission } from "../../src/runtime/mission.ts";
import type { RunEnd } from "../../src/runtime/run.ts";
import { MemoryJournal } from "../../src/stores/index.ts";
import { createMemoryRepository } from "../../src/workspaces/index.ts";
import type { Coverage } from "./coverage.ts";
import type { FakeAgent } from "./fake-agent.ts";
import { Observer } from "./invariants.ts";
import { leaveSomething } from "./leaving.ts";
import { workAsOutsider } from "./outside-worker.ts";
import { portsFor } from "./ports.ts";
import { Random } from "./random.ts";
import { type Actor, Scheduler } from "./scheduler.ts";

export interface SimProcess extends Actor {
  readonly identity: ProcessIdentity;
  readonly interrupt: AbortController;
  /** Others take it for dead: it may still wake up later. */
  presumedDead: boolean;
  /** It was stopped at some time: its lease may have run out although it lives. */
  wasFrozen: boolean;
  mission: Mission | null;
  end: RunEnd | null;
}

interface Beat {
  readonly process: SimProcess;
  readonly milliseconds: number;
  due: number;
  /** The lease counts from when it was asked for: until the first beat it may run out unheard. */
  begun: boolean;
  readonly beat: () => void;
}

/** `crowded`: everybody writes the same file. `limited`: the agents can hardly ever serve. `circling`: they get nowhere. */
export type Mood = "usual" | "undoing" | "slow" | "crowded" | "limited" | "circling";

export interface Plan {
  readonly mood: Mood;
  readonly limits: Limits;
  readonly lanes: number;
  readonly initScript: boolean;
  /** Found in a file without a journal, circles and leftovers included, instead of being added one by one. */
  readonly adopted: boolean;
  readonly concurrency: Concurrency;
  readonly integration: Integration;
  /** Whether the user has quiet hours. */
  readonly quiet?: boolean;
  /** What the user allows, and as much again whenever that is used up. */
  readonly budget?: BudgetWish | undefined;
  /** Phases of the plan that begin one after the other. */
  readonly barrier?: readonly string[] | null;
  readonly tasks: readonly (Pick<
    TaskSpec,
    "id" | "dependsOn" | "priority" | "maxAttempts" | "validation" | "cleanup" | "kind" | "loop"
  > &
    Partial<Pick<TaskSpec, "phase">>)[];
}

/** Short, so that a few steps of a stopped process are enough. */
export const leaseSeconds = 60;
const hour = 3_600_000;
const year = 365 * 24 * hour;

export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly journal = new MemoryJournal();
  readonly repository = createMemoryRepository();
  readonly lock = new MemoryLockPlace();
  readonly observer: Observer;
  readonly plan: Plan;
  readonly coverage: Coverage;
  readonly processes: SimProcess[] = [];
  readonly agents: FakeAgent[] = [];
  /** Of all attempts there ever were: nobody closes them, so that some are asked too late. */
  readonly sockets: { readonly owner: SimProcess; readonly answer: (line: string) => Promise<string> }[] = [];
  faulty = true;
  /** No agent can serve. */
  outage = false;
  /** Agents use the tools of their attempts. */
  talkative = false;
  readonly beats: Beat[] = [];
  #now = 1_700_000_000_000;
  /** No jump of the wall clock reaches it. */
  #monotonic = 5_000;
  #pids = 100;
  #times = 1;

  constructor(seed: number, plan: Plan, coverage: Coverage) {
    this.plan = plan;
    this.coverage = coverage;
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random);
    this.observer = new Observer(this);
  }

  /** Wall time as a process reads it: mostly forward, sometimes a year off in either direction. */
  now(): number {
    const passed = this.random.between(0, 5_000);
    this.#now += passed;
    this.#monotonic += passed;
    if (this.faulty && this.random.chance(0.001)) {
      this.coverage.hit("fault clock jumped");
      this.#now += this.random.pick([year, -year]);
    }
    return this.#now;
  }

  /** Every second hour, from now on. */
  quietPeriods(moment: number): readonly Period[] {
    const begin = Math.floor(moment / hour) * hour;
    const hours = Array.from({ length: 20 }, (_, n) => ({
      from: begin + 2 * n * hour,
      to: begin + (2 * n + 1) * hour,
    }));
    return this.plan.quiet ? hours : [];
  }

  monotonic(): number {
    return this.#monotonic;
  }
  every(process: SimProcess, milliseconds: number, beat: () => void): { stop(): void } {
    const entry: Beat = { process, milliseconds, due: this.#monotonic + milliseconds, begun: false, beat };
    this.beats.push(entry);
    return { stop: () => void this.beats.splice(this.beats.indexOf(entry), 1) };
  }
  /** Whoever is awake and due says that it lives. */
  beat(): void {
    for (const entry of [...this.beats]) {
      if (!entry.process.alive || entry.process.frozen || entry.due > this.#monotonic) continue;
      entry.due = this.#monotonic + entry.milliseconds;
      entry.begun = true;
      entry.beat();
    }
  }
  /** Longer than a lease; whoever is awake renews his meanwhile. */
  async leap(): Promise<void> {
    this.coverage.hit("fault a lease's time passed");
    for (let third = 0; third < 4; third++) {
      this.#monotonic += (leaseSeconds * 1_000) / 3;
      this.beat();
      await this.scheduler.settle();
    }
  }
  /** Without looking at it: nothing passes. */
  get wallTime(): number {
    return this.#now;
  }
  /** Until the first wait that is on is over, but not longer than a run has for all of them; whoever is awake renews his lease. */
  async sleep(): Promise<void> {
    const due = [...this.observer.state.pending.values()].flatMap(({ effect }) =>
      effect.kind === "agent.wait" ? [Math.min(effect.until - this.#now, effect.delayMs)] : [],
    );
    if (due.length === 0) return;
    this.coverage.hit("fault hours passed in a wait");
    const isLeased = [...this.observer.state.runs.values()].some((run) => run.leaseSeconds !== null);
    const step = isLeased ? (leaseSeconds * 1_000) / 2 : Number.POSITIVE_INFINITY;
    for (let left = Math.max(0, Math.min(...due)) + 1_000; left > 0; left -= step) {
      this.#now += Math.min(step, left);
      this.#monotonic += Math.min(step, left);
      this.beat();
      await this.scheduler.settle();
    }
  }
  isBeating(process: SimProcess): boolean {
    const own = this.beats.filter((entry) => entry.process === process);
    return own.length > 0 && own.every(({ begun }) => begun);
  }

  spawn(): SimProcess {
    const process = this.#process("run");
    const life = async () => {
      process.mission = await createMission(portsFor(this, process));
      process.end = await process.mission.run(
        {
          lanes: this.plan.lanes,
          trust: { how: this.faulty && this.random.chance(0.2) ? "none" : "all" },
          once: this.faulty && this.random.chance(0.15),
          leaseSeconds,
          budget: this.#allowed(),
        },
        process.interrupt.signal,
      );
      process.alive = false;
    };
    life().catch((error: unknown) =>
      this.observer.fail(`a run threw: ${error instanceof Error ? error.stack : String(error)}`),
    );
    return process;
  }

  /** Said with the first run, and with some of the others; more each time when it was not enough. */
  #allowed(): BudgetWish | undefined {
    const { budget } = this.plan;
    if (budget === undefined) return undefined;
    if (this.observer.state.lastRun?.reason === "budget" && (!this.faulty || this.random.chance(0.3))) this.#times += 1;
    if (this.faulty && this.random.chance(0.3)) return undefined;
    const more = (cap: number | null | undefined) => (cap == null ? null : cap * this.#times);
    const anew = this.faulty && this.random.chance(0.05);
    return { ...budget, anew, nanoUsd: more(budget.nanoUsd), tokens: more(budget.tokens), ms: more(budget.ms) };
  }

  /** A process that only sends commands, as a CLI verb does. */
  async visitor(): Promise<Mission> {
    return createMission(portsFor(this, { ...this.#process("visitor"), alive: true }, { inTurns: false }));
  }

  spawnWorker(): SimProcess {
    const process = this.#process("worker");
    workAsOutsider(this, process)
      .catch((error: unknown) =>
        this.observer.fail(`a worker threw: ${error instanceof Error ? error.stack : String(error)}`),
      )
      .finally(() => {
        process.alive = false;
      });
    return process;
  }

  #process(kind: string): SimProcess {
    const identity = this.newIdentity();
    const process: SimProcess = {
      name: `${kind}-${identity.pid}`,
      identity,
      interrupt: new AbortController(),
      alive: true,
      frozen: false,
      presumedDead: false,
      wasFrozen: false,
      mission: null,
      end: null,
    };
    if (kind !== "visitor") this.processes.push(process);
    return process;
  }

  newIdentity(): ProcessIdentity {
    this.#pids += 1;
    return { host: "sim", bootId: "boot", pid: this.#pids, group: this.#pids, startTime: String(this.#pids) };
  }

  isAlive(identity: ProcessIdentity): boolean {
    return this.processes.some(
      ({ identity: { pid }, alive, presumedDead }) => pid === identity.pid && alive && !presumedDead,
    );
  }
  /** The processes that would be found running by a newcomer. */
  live(kind: "run" | "worker"): readonly SimProcess[] {
    return this.processes.filter(({ name, alive, presumedDead }) => name.startsWith(kind) && alive && !presumedDead);
  }

  agentStarts(supervisor: SimProcess, request: AgentRequest): FakeAgent {
    const agent: FakeAgent = { identity: this.newIdentity(), request, supervisor, started: false, ended: false };
    this.agents.push(agent);
    return agent;
  }
  agentActs(agent: FakeAgent, act: "write" | "undo" | "commit"): void {
    if (agent.ended) return;
    const { cwd, task, attempt } = agent.request;
    this.observer.agentActs(agent);
    // Now and then two tasks touch the same file.
    const often = this.plan.mood === "crowded" ? 0.8 : this.faulty ? 0.2 : 0;
    const file = this.random.chance(often) ? "shared.txt" : `${task}.txt`;
    if (act === "write") this.repository.write(cwd, file, `${task} attempt ${attempt}, ${this.random.between(0, 9)}`);
    if (act === "undo") this.repository.remove(cwd, `${task}.txt`);
    if (act === "commit" && this.repository.read(cwd, `${task}.txt`) !== null) this.repository.commitInside(cwd);
  }
  agentLeaves(agent: FakeAgent): void {
    if (agent.ended) return;
    this.observer.agentActs(agent);
    leaveSomething(this, agent.request.cwd);
  }
  /** Both sides of a conflict become one text; an agent may do that, half of it, or nothing. */
  agentRepairs(agent: FakeAgent): void {
    if (agent.ended) return;
    const { cwd, task } = agent.request;
    const text = this.repository.read(cwd, "shared.txt");
    if (text?.includes("<<<<<<<") !== true) return;
    this.observer.agentActs(agent);
    if (!this.faulty || this.random.chance(0.6)) this.repository.write(cwd, "shared.txt", `merged by ${task}`);
    else if (this.random.chance(0.3)) this.repository.write(cwd, "shared.txt", text.replace(/^<<<<<<< .*\n/, ""));
  }
  /** Also after its lease: its lane is nobody else's, so it can do no harm there. */
  outsiderActs(task: string, claim: number, path: string): void {
    const held = this.observer.holds(task, claim, path);
    const there = this.repository.disk.slots.get(path);
    if (there === undefined) return;
    const crowded = this.plan.mood === "crowded" && this.random.chance(0.5);
    const file = crowded ? "shared.txt" : `${task}.txt`;
    this.repository.write(path, file, `${task} by an outsider, ${held ? "in time" : "late"}`);
  }
  outsiderRepairs(path: string): void {
    const text = this.repository.disk.slots.has(path) ? this.repository.read(path, "shared.txt") : null;
    if (text?.includes("<<<<<<<") === true) this.repository.write(path, "shared.txt", "merged by an outsider");
  }
  endGroup(identity: ProcessIdentity): void {
    for (const agent of this.agents) if (agent.identity.pid === identity.pid) agent.ended = true;
  }
}
