// An agent that does anything an agent may do, chosen by the seed. It acts only through its workspace.
import type { AgentRequest, Driver } from "../../src/drivers/driver.ts";
import type { AgentEnd, AgentEvent, ProcessIdentity } from "../../src/protocol/agent.ts";
import type { FailureKind } from "../../src/protocol/failure.ts";
import type { Mood, SimProcess, World } from "./world.ts";

export interface FakeAgent {
  readonly identity: ProcessIdentity;
  readonly request: AgentRequest;
  readonly supervisor: SimProcess;
  /** Allowed to act: its process was announced and recorded. */
  started: boolean;
  ended: boolean;
}

const failures: readonly FailureKind[] = ["timeout", "timeout", "timeout", "auth", "env_setup", "config"];

/** What agents do most; a world has one mood, so that rare chains of events come about. */
const habits: Record<Mood, readonly ("say" | "write" | "undo" | "commit" | "checkpoint")[]> = {
  usual: ["say", "write", "write", "undo", "commit", "checkpoint"],
  undoing: ["write", "checkpoint", "undo"],
  slow: ["say", "write"],
  crowded: ["say", "write", "write", "write", "commit"],
};
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
    const acts = agent.started ? random.between(this.#world.faulty ? 0 : 1, this.#world.faulty ? 5 : 3) : 0;
    for (let act = 1; act <= acts && !signal.aborted; act++) {
      await scheduler.turn(this.#supervisor, "agent");
      const kind = this.#world.faulty ? random.pick(habits[this.#world.plan.mood]) : "write";
      if (kind === "write" || kind === "undo" || kind === "commit") this.#world.agentActs(agent, kind);
      const text = kind === "checkpoint" ? `CHECKPOINT step=${act}/${acts} "act ${act}"\n` : `act ${act}\n`;
      if (kind === "say" || kind === "checkpoint" || random.chance(0.5)) yield { type: "said", text };
    }
    await scheduler.turn(this.#supervisor, "agent");
    if (agent.started && !signal.aborted) this.#world.agentRepairs(agent);
    agent.ended = true;
    const end: AgentEnd = signal.aborted || !agent.started ? { reason: "interrupted" } : this.#end();
    if (end.reason === "failed" && end.failure.kind === "timeout") coverage.hit("fault hung agent");
    yield { type: "ended", end };
  }

  #end(): AgentEnd {
    const { random, faulty } = this.#world;
    if (faulty && this.#world.plan.mood === "slow" && random.chance(0.7)) return tooSlow;
    const draw = faulty ? random.next() : 0;
    if (draw < (this.#world.plan.mood === "crowded" ? 0.85 : 0.6)) return { reason: "finished", message: "done" };
    if (draw < (this.#world.plan.mood === "crowded" ? 0.9 : 0.8))
      return { reason: "unfinished", message: "more to do" };
    if (draw < 0.82) return { reason: "interrupted" };
    const kind = random.chance(0.7) ? "task_exec" : random.pick(failures);
    return { reason: "failed", failure: { kind, message: `fake ${kind}` } };
  }
}
