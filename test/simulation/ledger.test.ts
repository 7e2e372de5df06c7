// The ledger alone, very often: missions of a few tasks whose agents cost anything, are lost, or tell nothing, with runs
// that die and come back with the same cap or a higher one. The real core decides; the model of budget-check.ts reckons.
import { expect, test } from "vitest";
import { react } from "../../src/core/decide/decide.ts";
import { emptyState } from "../../src/core/empty-state.ts";
import { evolve } from "../../src/core/evolve/evolve.ts";
import { waitsForRoom } from "../../src/core/room.ts";
import type { State } from "../../src/core/state.ts";
import type { IterationEnd } from "../../src/protocol/agent.ts";
import type { Answer, AttemptEffect } from "../../src/protocol/effect.ts";
import type { Asked } from "../../src/protocol/input.ts";
import { Limits } from "../../src/protocol/task.ts";
import { recordNumbers } from "../numbers.ts";
import { BudgetCheck } from "./budget-check.ts";
import { Coverage } from "./coverage.ts";
import { Random } from "./random.ts";

/** `npm test` takes 40,000, which is a hundred thousand runs. */
const missions = Number(process.env.HARNESS_LEDGER_RUNS ?? "1000");
const owner = { host: "h", bootId: "b", pid: 7, group: 7, startTime: "1" };
const commit = "a".repeat(40);
const limits = Limits.parse({ maxIterations: 6, maxSessions: 1_000 });

class Mission {
  readonly random: Random;
  readonly state: State = emptyState();
  /** Folded event by event, as the model is asked before and after each. */
  readonly #beside: State = emptyState();
  readonly #check: BudgetCheck;
  readonly #given: { cap: number; per: number; tokens: number | null; ask: boolean };
  /** Of a crowd, or of a few. */
  readonly #lanes: number;
  #at = 1_000;
  #runs = 0;

  constructor(seed: number, coverage: Coverage) {
    this.random = new Random(seed);
    this.#check = new BudgetCheck(coverage);
    const { random } = this;
    const [cap, per] = [random.between(1, 50) * 1e8, random.between(1, 20) * 1e8];
    this.#given = {
      cap,
      per,
      tokens: random.chance(0.3) ? random.between(1, 9) * 1_000 : null,
      ask: random.chance(0.3),
    };
    this.send({ type: "mission.create", mission: "m", branch: "b", root: "/p", limits });
    const validation = { command: "true", timeoutMs: 1_000 };
    this.#lanes = random.pick([1, 2, 4, 32]);
    for (let task = random.between(1, Math.max(4, this.#lanes)); task > 0; task--)
      this.send({ type: "task.add", task: { title: "a", validation, maxAttempts: 2 } });
  }

  send(asked: Asked): void {
    this.#at += 1;
    for (const event of react(this.state, { ...asked, at: this.#at })) {
      const recorded = { ...event, at: this.#at };
      for (const wrong of this.#check.look(recorded, this.#beside)) throw new Error(wrong);
      evolve(this.#beside, recorded);
      const folded = this.#check.folded(this.#beside);
      if (folded !== null) throw new Error(folded);
    }
  }

  start(): void {
    this.#runs += 1;
    const { random } = this;
    if (random.chance(0.3)) this.#given.cap += random.between(1, 30) * 1e8;
    const { cap: nanoUsd, per, tokens, ask } = this.#given;
    const perIteration = { nanoUsd: per, tokens: 500 };
    const budget = { from: "flags", anew: false, nanoUsd, tokens, perIteration, ask } as const;
    for (const name of this.state.approvals.keys()) this.send({ type: "approval.grant", name });
    this.send({
      ...{
        type: "run.start",
        run: `run-${this.#runs}`,
        owner,
        lanes: random.between(1, this.#lanes),
        worker: "w",
        claims: null,
      },
      ...{ leaseSeconds: null, removedStale: null, initScript: false, projectHash: null, untrusted: null },
      gone: [...this.state.runs.keys()].map((run) => ({ run, how: "lost" }) as const),
      trust: { how: "none" },
      budget: this.#runs === 1 || random.chance(0.5) ? budget : undefined,
    });
  }

  /** Whether there was anything to do. */
  step(): boolean {
    const { random, state } = this;
    const run = [...state.runs.keys()][0];
    if (run === undefined) return false;
    const doable = [...state.pending.values()].filter(
      ({ effect }) => effect.run === run && !waitsForRoom(state, effect),
    );
    const next = doable[random.between(0, doable.length - 1)];
    if (next === undefined) throw new Error("a run is on, and nobody has anything to do");
    const effect = next.effect as AttemptEffect;
    const { id, fence } = effect;
    if (effect.kind === "agent.run" && !next.adopted && random.chance(0.9))
      this.send({ type: "process.start", run, id, fence, process: owner });
    const answer = effect.kind === "agent.run" && next.adopted ? lost : this.#answer(effect);
    this.send({ type: "effect.answer", run, id, fence, answer });
    return true;
  }

  #answer(effect: AttemptEffect): Answer {
    const { random } = this;
    switch (effect.kind) {
      case "workspace.open":
        return { kind: "workspace.opened", path: "/w", base: commit };
      case "agent.run":
        return random.chance(0.1) ? lost : { kind: "agent.ended", end: this.#end(effect.reserved?.nanoUsd ?? 1e9) };
      case "budget.wait":
        return { kind: "budget.waited" };
      case "workspace.commit":
        return { kind: "workspace.committed", candidate: { commit, parent: commit } };
      case "gate.check": {
        const failure = { kind: "test_fail", message: "red" } as const;
        return {
          kind: "gate.judged",
          verdict: random.chance(0.5) ? { verdict: "pass", evidence: "" } : { verdict: "fail", failure },
        };
      }
      case "workspace.merge":
        return { kind: "workspace.merged", commit };
      case "workspace.archive":
        return { kind: "workspace.archived", archive: "/a" };
      default:
        throw new Error(`nobody asked for ${effect.kind}`);
    }
  }

  /** Mostly within what it was given. */
  #end(given: number): IterationEnd {
    const { random } = this;
    const most = random.chance(0.1) ? given * 2 : given;
    const tokens = { input: random.between(0, random.chance(0.1) ? 900 : 500), cached: 0, output: 0 };
    const cost = { basis: "reported", usd: random.between(0, Math.min(990, Math.floor(most / 1e7))) / 100 } as const;
    const account = random.chance(0.1)
      ? undefined
      : { turns: 1, tokens, cost: random.chance(0.1) ? ({ basis: "unknown" } as const) : cost };
    return random.chance(0.5)
      ? { reason: "unfinished", message: "more", account }
      : { reason: "finished", message: "done", account };
  }
}
const lost: Answer = { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" };

test(`B2, PR-6, PR-7: in ${missions} missions nothing is begun that does not fit, and nothing charged twice or forgotten`, () => {
  const coverage = new Coverage();
  let runs = 0;
  for (let seed = 1; seed <= missions; seed++) {
    try {
      const mission = new Mission(seed, coverage);
      for (let run = mission.random.between(1, 4); run > 0; run--) {
        runs += 1;
        mission.start();
        // Some die in the middle.
        for (let step = mission.random.between(1, 80); step > 0 && mission.step(); step--);
      }
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
  recordNumbers(["PR-6"], `the ledger against its model: ${missions} missions with ${runs} runs, 0 violations`);
  const reached = [...coverage.hits].filter(([row, hits]) => row.startsWith("budget ") && hits > 0).map(([row]) => row);
  expect(reached.sort()).toEqual(
    [
      "asked nanoUsd",
      "asked tokens",
      "passed",
      "settled",
      "stopped nanoUsd",
      "stopped tokens",
      "told",
      "unknown",
      "unstarted",
      "waited",
    ].map((row) => `budget ${row}`),
  );
});
