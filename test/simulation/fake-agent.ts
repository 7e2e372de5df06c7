// An agent that does anything an agent may do, chosen by the seed. It acts only through its workspace.
import type { AgentRequest, Driver } from "../../src/drivers/driver.ts";
import type { AgentEnd, AgentEvent, ProcessIdentity } from "../../src/protocol/agent.ts";
import type { FailureKind } from "../../src/protocol/failure.ts";
import { socketVariable } from "../../src/protocol/socket-place.ts";
import type { Told } from "../../src/protocol/told.ts";
import { fakeAccount } from "./used.ts";
import type { Mood, SimProcess, World } from "./world.ts";

export interface FakeAgent {
  readonly identity: ProcessIdentity;
  readonly request: AgentRequest;
  readonly supervisor: SimProcess;
  /** Allowed to act: its process was announced and recorded. */
  started: boolean;
  ended: boolean;
}

/** What loops are promised to be done with. */
export const promise = "TASK_COMPLETE";

/** What only time mends; agents tell of it in two ways. */
function delayed(world: World): AgentEnd {
  const { random } = world;
  if (random.chance(0.4)) {
    const until = random.pick([null, world.wallTime + random.between(-60_000, 1_200_000)]);
    return { reason: "limited", until, message: "fake limit" };
  }
  const kind = random.pick(["overloaded", "rate_limited", "network"] as const);
  return { reason: "failed", failure: { kind, message: `fake ${kind}` } };
}

const failures: readonly FailureKind[] = ["timeout", "timeout", "timeout", "auth", "env_setup", "config", "resources"];

/** What agents do most; a world has one mood, so that rare chains of events come about. */
const habits: Record<Mood, readonly ("say" | "write" | "undo" | "commit" | "checkpoint")[]> = {
  usual: ["say", "write", "write", "undo", "commit", "checkpoint"],
  undoing: ["write", "checkpoint", "undo"],
  slow: ["say", "write"],
  crowded: ["say", "write", "write", "write", "commit"],
  limited: ["say", "write", "commit"],
  circling: ["say", "say", "say", "write"],
};
/** The same call, which fails in the same way but for what differs each time. */
function* failingCalls(times: number, signal: AbortSignal): Generator<AgentEvent> {
  for (let n = 1; n <= times && !signal.aborted; n++) {
    yield { type: "called", call: `call-${n}`, tool: "Bash", about: "npm test", input: "npm test" };
    yield { type: "answered", call: `call-${n}`, ok: false, text: `exit 1 after ${n} ms` };
  }
}

const tooLong: AgentEnd = { reason: "failed", failure: { kind: "context_overflow", message: "prompt is too long" } };
const tooSlow: AgentEnd = { reason: "failed", failure: { kind: "timeout", message: "fake timeout" } };

export class FakeDriver implements Driver {
  readonly #world: World;
  readonly #supervisor: SimProcess;

  constructor(world: World, supervisor: SimProcess) {
    this.#world = world;
    this.#supervisor = supervisor;
  }

  async *run(request: AgentRequest, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const { random, scheduler, coverage } = this.#world;
    const agent = this.#world.agentStarts(this.#supervisor, request);
    await scheduler.turn(this.#supervisor, "agent");
    agent.started = await request.announce(agent.identity);
    // Some change nothing, some change what they can and come to the same failure.
    const busy = this.#circles && /[13579]$/.test(request.task);
    const limited = this.#world.faulty && this.#world.plan.mood === "limited";
    const acts =
      limited && random.chance(0.8)
        ? 0
        : agent.started
          ? random.between(this.#world.faulty ? 0 : 1, this.#world.faulty ? 5 : 3)
          : 0;
    for (let act = 1; act <= acts && !signal.aborted; act++) {
      await scheduler.turn(this.#supervisor, "agent");
      const kind =
        busy || !(this.#world.faulty || this.#circles) ? "write" : random.pick(habits[this.#world.plan.mood]);
      if (kind === "write" || kind === "undo" || kind === "commit") this.#world.agentActs(agent, kind);
      if (this.#world.talkative && random.chance(0.15)) await this.#tell(agent);
      if (this.#world.talkative && random.chance(0.08)) this.#world.agentLeaves(agent);
      const text = kind === "checkpoint" ? `CHECKPOINT step=${act}/${acts} "act ${act}"\n` : `act ${act}\n`;
      if (kind === "say" || kind === "checkpoint" || random.chance(0.5)) yield { type: "said", text };
    }
    yield* this.#fills(agent, signal);
    if (this.#circles && !busy && random.chance(0.3)) yield* failingCalls(random.between(2, 6), signal);
    await scheduler.turn(this.#supervisor, "agent");
    if (agent.started && !signal.aborted) this.#world.agentRepairs(agent);
    agent.ended = true;
    const end: AgentEnd = signal.aborted || !agent.started ? { reason: "interrupted" } : this.#end(request.task, busy);
    if (end.reason === "failed" && end.failure.kind === "timeout") coverage.hit("fault hung agent");
    yield { type: "began", session: "s", model: "fake-model", version: "1.0", permissions: "all" };
    const isUnused = end.reason === "failed" && end.failure.kind === "context_overflow";
    yield { type: "ended", end: isUnused ? end : { ...end, ...fakeAccount(agent.identity.pid) } };
  }

  /** Some have little room left, a few go on until there is none. Nothing is drawn: it has no part in other choices. */
  *#fills({ identity: { pid } }: FakeAgent, signal: AbortSignal): Generator<AgentEvent> {
    const tokens = pid % 17 === 3 ? 95 : pid % 5 === 2 ? 80 : 0;
    if (tokens === 0 || signal.aborted || !this.#world.talkative) return;
    yield { type: "used", tokens: { input: tokens, cached: 0, output: 0 }, context: { tokens, window: 100 } };
  }

  get #circles(): boolean {
    return this.#world.plan.mood === "circling";
  }

  /** By a tool of its attempt; now and then by one of another, which has long ended. */
  async #tell({ request }: FakeAgent): Promise<void> {
    const { random, sockets, coverage, plan } = this.#world;
    const own = Number(request.tools?.env[socketVariable]);
    const isLate = random.chance(0.2);
    // Nobody answers for a process that is gone.
    const there = sockets.filter(({ owner }) => owner === this.#supervisor);
    const socket = isLate ? random.pick(there) : sockets[own];
    const words = random.between(0, 3);
    const told: Told = random.pick([
      { verb: "note", text: `note ${words}` },
      { verb: "handoff", summary: `so far ${words}`, next: "" },
      { verb: "inbox_add", title: `found ${words}`, text: "it" },
      { verb: "ask_human", question: `may I ${words % 2}?` },
      { verb: "add_task", title: `more ${words}`, description: "", command: null, priority: "P1", dependsOn: [] },
      {
        ...{ verb: "add_task", title: `other ${words}`, description: "", priority: "P2", dependsOn: [request.task] },
        command: random.pick(["new", plan.tasks[0]?.validation?.command ?? "new"]),
      },
    ] as const satisfies readonly Told[]);
    const { ok } = JSON.parse((await socket?.answer(JSON.stringify(told))) ?? "{}");
    coverage.hit(`told ${told.verb} ${ok ? "taken" : isLate ? "late" : "refused"}`);
  }

  #end(task: string, busy: boolean): AgentEnd {
    const { random, faulty } = this.#world;
    if (faulty && this.#world.plan.mood === "slow" && random.chance(0.7)) return tooSlow;
    if (this.#world.outage) return { reason: "failed", failure: { kind: "overloaded", message: "fake outage" } };
    // Also when nothing else goes wrong: an end must come all the same.
    const limited = this.#world.plan.mood === "limited" ? (faulty ? 0.95 : 0.3) : faulty ? 0.05 : 0;
    if (limited > 0 && random.chance(limited)) return delayed(this.#world);
    // Also when nothing else goes wrong: an end must come all the same.
    const draw = faulty || this.#circles ? random.next() : 0;
    if (this.#circles && /[48]$/.test(task) && random.chance(0.7)) return tooLong;
    if (this.#circles && (draw < 0.95 || !faulty))
      return draw < (busy ? 0.9 : 0.4)
        ? { reason: "finished", message: promise }
        : { reason: "unfinished", message: "again" };
    if (draw < (this.#world.plan.mood === "crowded" ? 0.85 : 0.6))
      return { reason: "finished", message: random.chance(0.4) ? "done" : promise };
    if (draw < (this.#world.plan.mood === "crowded" ? 0.9 : 0.8))
      return { reason: "unfinished", message: "more to do" };
    if (draw < 0.82) return { reason: "interrupted" };
    const kind = random.chance(0.7) ? "task_exec" : random.pick(failures);
    return { reason: "failed", failure: { kind, message: `fake ${kind}` } };
  }
}
