import { describe, expect, test } from "vitest";
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import { budgetView } from "../../src/core/views/budget.ts";
import { logLine } from "../../src/core/views/log-line.ts";
import type { IterationEnd } from "../../src/protocol/agent.ts";
import { type BudgetWish, defaultBudget } from "../../src/protocol/budget.ts";
import type { Event } from "../../src/protocol/event.ts";
import { commitOf, Scene } from "./scene.ts";

const cent = 10_000_000;
const usd = (dollars: number) => Math.round(dollars * 1e9);
const wish = (more: Partial<BudgetWish>): BudgetWish => ({ from: "flags", anew: false, ...more });
const perIteration = (dollars: number) => ({ nanoUsd: usd(dollars), tokens: 1_000_000 });
/** One dollar, and thirty cents for an iteration. */
const dollar = wish({ nanoUsd: usd(1), perIteration: perIteration(0.3) });

const account = (dollars: number | null) => ({
  turns: 1,
  tokens: { input: 100, cached: 0, output: 10 },
  cost: dollars === null ? ({ basis: "unknown" } as const) : ({ basis: "reported", usd: dollars } as const),
});
const unfinished = (dollars: number | null): IterationEnd => ({
  reason: "unfinished",
  message: "more to do",
  account: account(dollars),
});
const task = (number: number): string => `task-00${number}`;

function working(tasks: number, lanes: number, budget: BudgetWish, limits = {}): Scene {
  const scene = new Scene(
    Array.from({ length: tasks }, () => ({})),
    limits,
  );
  scene.start(lanes, { budget });
  for (let number = 1; number <= Math.min(tasks, lanes); number++) scene.open(task(number));
  return scene;
}
const kinds = (scene: Scene): readonly string[] => [...scene.state.pending.values()].map(({ effect }) => effect.kind);
const end = (scene: Scene, number: number, dollars: number | null): readonly Event[] =>
  scene.answer(task(number), { kind: "agent.ended", end: unfinished(dollars) });
const merge = (scene: Scene, number: number, dollars: number): readonly Event[] => {
  const done = { reason: "finished", message: "done", account: account(dollars) } as const;
  scene.answer(task(number), { kind: "agent.ended", end: done });
  const candidate = { commit: commitOf("a"), parent: commitOf("0") };
  scene.answer(task(number), { kind: "workspace.committed", candidate });
  scene.judge(task(number), "pass");
  return scene.answer(task(number), { kind: "workspace.merged", commit: commitOf("a") });
};

describe("rule B2: reserve, then settle", () => {
  test("B2, PR-6: a dollar holds three iterations of thirty cents on four lanes; the fourth is never begun, and the run ends with 6", () => {
    const scene = working(4, 4, dollar);
    expect(kinds(scene)).toEqual(["agent.run", "agent.run", "agent.run", "budget.wait"]);
    for (const number of [1, 2, 3]) end(scene, number, 0.3);
    expect(scene.all("effect.requested").filter(({ effect }) => effect.kind === "agent.run")).toHaveLength(3);
    expect(scene.all("budget.settled").map(({ charged }) => charged.nanoUsd)).toEqual(
      [30, 30, 30].map((n) => n * cent),
    );
    expect(scene.all("budget.reached")).toEqual([
      { type: "budget.reached", of: "nanoUsd", used: 90 * cent, cap: 100 * cent, ask: false },
    ]);
    expect(scene.all("run.ended")).toEqual([
      {
        type: "run.ended",
        run: "run-1",
        reason: "budget",
        detail: "the budget is used up: $0.90 of $1.00, and no further iteration fits",
      },
    ]);
    expect([...scene.state.tasks.values()].map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0]);
  });

  test("B2: what an iteration leaves is free for the next in line, in the order they asked", () => {
    const scene = working(4, 4, wish({ nanoUsd: usd(1), perIteration: perIteration(0.5) }));
    expect(kinds(scene)).toEqual(["agent.run", "agent.run", "budget.wait", "budget.wait"]);
    end(scene, 1, 0.1);
    // 0.10 charged, 0.50 given out: 0.40 is left, and who is alone may have less than the most – nobody is.
    expect(kinds(scene)).toEqual(["agent.run", "budget.wait", "budget.wait", "budget.wait"]);
    end(scene, 2, 0.1);
    expect(scene.pending(task(2))).toMatchObject({ kind: "agent.run", reserved: { nanoUsd: usd(0.5) } });
  });

  test("B2: alone it is given what is left, and nothing that is less than iterations here have used", () => {
    const scene = working(1, 1, wish({ nanoUsd: usd(1), perIteration: perIteration(5) }));
    const given: number[] = [];
    for (const dollars of [0.3, 0.3, 0.3]) {
      const effect = scene.pending(task(1));
      given.push(effect.kind === "agent.run" ? (effect.reserved?.nanoUsd ?? 0) / cent : -1);
      end(scene, 1, dollars);
    }
    expect([given, scene.ends()]).toEqual([[100, 70, 40], ["budget"]]);
  });

  test("B2, PR-6: an iteration that does not tell what it used is charged with all it was given", () => {
    const scene = working(1, 1, dollar);
    end(scene, 1, null);
    scene.answer(task(1), { kind: "agent.ended", end: { reason: "unfinished", message: "and no account" } });
    expect(scene.all("budget.settled").map(({ charged, basis }) => [charged.nanoUsd / cent, basis])).toEqual([
      [30, "unknown"],
      [30, "unknown"],
    ]);
    expect(budgetView(scene.state.ledger as never).charged.usd).toBe(0.6);
  });

  test("B2: what an agent used beyond what it was given is charged, and told as such", () => {
    const scene = working(1, 1, dollar);
    end(scene, 1, 0.7);
    const { charged, over, reserved } = budgetView(scene.state.ledger as never);
    // Thirty cents are left, and iterations here use more.
    expect([charged.usd, over.usd, reserved.usd, scene.ends()]).toEqual([0.7, 0.4, 0, ["budget"]]);
  });

  test("B2: an agent that was lost is charged in full, one that was never started with nothing", () => {
    const scene = working(2, 2, dollar);
    const { id, fence } = scene.pending(task(1));
    const process = { host: "h", bootId: "b", pid: 9, group: 9, startTime: "2" };
    scene.send({ type: "process.start", run: scene.run, id, fence, process });
    scene.start(2);
    const lost = { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" } as const;
    scene.answer(task(1), lost);
    scene.answer(task(2), lost);
    expect(scene.all("budget.settled").map(({ charged, basis }) => [charged.nanoUsd / cent, basis])).toEqual([
      [30, "unknown"],
      [0, "unstarted"],
    ]);
  });

  test("B2: work that is done by then is merged all the same, and a plan that is finished is finished", () => {
    const scene = working(1, 1, wish({ nanoUsd: usd(0.3), perIteration: perIteration(0.3) }));
    merge(scene, 1, 0.3);
    expect([scene.statusOf(task(1)), scene.ends(), scene.all("budget.reached")]).toEqual([
      "completed",
      ["completed"],
      [],
    ]);
  });
});

describe("rules B1, B2: a budget outlives everything", () => {
  test("B1: the next run forgets nothing: it begins no agent, uses no session and ends with 6 again", () => {
    const scene = working(1, 1, dollar);
    for (const _ of [1, 2, 3]) end(scene, 1, 0.3);
    const before = scene.all("effect.requested").length;
    scene.start(1);
    expect(scene.ends()).toEqual(["budget", "budget"]);
    const agents = scene.all("effect.requested").slice(before);
    expect([agents.map(({ effect }) => effect.kind), scene.state.sessions]).toEqual([[], 1]);
  });

  test("B2: with more it goes on where it stopped: same attempt, same workspace, next iteration", () => {
    const scene = working(1, 1, dollar);
    for (const _ of [1, 2, 3]) end(scene, 1, 0.3);
    scene.start(1, { budget: wish({ nanoUsd: usd(2) }) });
    scene.answer(task(1), { kind: "budget.waited" });
    expect(scene.pending(task(1))).toMatchObject({
      kind: "agent.run",
      attempt: 1,
      iteration: 4,
      path: "/w/task-001",
      reserved: { nanoUsd: 30 * cent },
    });
    expect(budgetView(scene.state.ledger as never)).toMatchObject({ caps: { usd: 2 }, charged: { usd: 0.9 } });
  });

  test("B2: a configuration does not take back what a flag said, and a flag that says one thing leaves the others", () => {
    const scene = working(1, 1, dollar);
    scene.start(1, { budget: { from: "config", anew: false, nanoUsd: usd(50) } });
    expect(scene.state.ledger?.budget.nanoUsd).toBe(usd(1));
    scene.start(1, { budget: wish({ ms: 60_000 }) });
    expect(scene.state.ledger?.budget).toMatchObject({ nanoUsd: usd(1), ms: 60_000 });
    expect(scene.all("budget.set")).toHaveLength(2);
  });

  test("B2: new work with a budget of its own is not charged with what was used before", () => {
    const scene = working(1, 1, dollar);
    merge(scene, 1, 0.3);
    scene.send({ type: "task.add", task: { title: "next", validation: { command: "true", timeoutMs: 1_000 } } });
    scene.start(1, { budget: { from: "flags", anew: true, nanoUsd: usd(0.5) } });
    expect(budgetView(scene.state.ledger as never)).toMatchObject({ caps: { usd: 0.5 }, charged: { usd: 0 } });
  });

  test("B2: a cap that is set later counts what was used before, and in full what nobody told", () => {
    const scene = working(1, 1, wish({}), { maxIterations: 10 });
    expect(scene.state.ledger).toBeNull();
    end(scene, 1, 0.25);
    end(scene, 1, null);
    scene.start(1, { budget: wish({ nanoUsd: usd(10) }) });
    const unknown = defaultBudget.perIteration.nanoUsd / 1e9;
    const { charged, untold } = budgetView(scene.state.ledger as never);
    expect([charged.usd, untold.usd]).toEqual([0.25 + unknown, unknown]);
  });

  test("PR-23: a snapshot in the middle of it folds on to the same ledger", () => {
    const scene = working(4, 4, dollar);
    end(scene, 1, 0.3);
    const read = readSnapshot(writeSnapshot(scene.state));
    expect(read?.ledger).toEqual(scene.state.ledger);
  });
});

describe("rule B2: people are told", () => {
  test("B2: at 80 % they are warned, once", () => {
    const scene = working(1, 1, wish({ nanoUsd: usd(1), perIteration: perIteration(0.1) }), { maxIterations: 50 });
    for (const dollars of [...Array(8).fill(0.1), 0.01, 0.01]) end(scene, 1, dollars);
    expect(scene.all("budget.warned")).toEqual([
      { type: "budget.warned", of: "nanoUsd", used: 80 * cent, cap: 100 * cent },
    ]);
    const [warned] = scene.all("budget.warned");
    const context = { session: 1, titleOf: () => "" };
    expect(logLine({ ...(warned as NonNullable<typeof warned>), at: 0 }, context)).toContain(
      "WARN budget: $0.80 of $1.00 used",
    );
  });

  test("B2: asked at the end of it, a person who says yes allows as much again; the question is put once", () => {
    const scene = working(1, 1, { ...dollar, ask: true });
    for (const _ of [1, 2, 3]) end(scene, 1, 0.3);
    scene.start(1);
    expect(scene.ends()).toEqual(["waiting", "waiting"]);
    expect(scene.all("approval.asked").map(({ name, question }) => [name, question])).toEqual([
      ["budget", "the budget is used up: $0.90 of $1.00, and no further iteration fits; go on with $1.00 more?"],
    ]);
    scene.send({ type: "approval.grant", name: "budget" });
    expect(budgetView(scene.state.ledger as never)).toMatchObject({ caps: { usd: 2 }, reached: null });
    scene.start(1);
    scene.answer(task(1), { kind: "budget.waited" });
    expect(scene.pending(task(1))).toMatchObject({ kind: "agent.run", iteration: 4 });
  });
});

test("B2: allowed more while others of the run are still at it, the run goes on instead of ending", () => {
  const scene = working(2, 2, { ...dollar, ask: true });
  for (const _ of [1, 2]) end(scene, 1, 0.3);
  const done = { reason: "finished", message: "done", account: account(0.3) } as const;
  scene.answer(task(2), { kind: "agent.ended", end: done });
  // Ninety cents are charged, task 1 is at work with what was left for it; when it is over nothing fits.
  end(scene, 1, 0.1);
  expect([scene.state.runs.get(scene.run)?.ending?.reason, scene.ends()]).toEqual(["waiting", []]);
  scene.send({ type: "approval.grant", name: "budget" });
  expect(scene.state.runs.get(scene.run)?.ending).toBeNull();
  scene.answer(task(1), { kind: "budget.waited" });
  expect(scene.pending(task(1)).kind).toBe("agent.run");
});

test("B2: the lane of who waits for room may be given to an orphan meanwhile: then it waits for a lane as well", () => {
  const scene = working(2, 2, dollar);
  for (const _ of [1, 2]) end(scene, 1, 0.3);
  expect(kinds(scene)).toEqual(["agent.run", "budget.wait"]);
  const gone = [{ run: scene.run, how: "lost" as const }];
  scene.start(1, { gone, budget: wish({ nanoUsd: usd(5) }) });
  expect([...scene.state.pending.values()].map(({ effect }) => [effect.kind, effect.run])).toEqual([
    ["agent.run", scene.run],
    ["budget.wait", scene.run],
  ]);
  scene.answer(task(1), { kind: "budget.waited" });
  expect(scene.pending(task(1)).kind).toBe("budget.wait");
  scene.answer(task(2), { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
  scene.archive(task(2));
  scene.answer(task(1), { kind: "budget.waited" });
  expect(scene.pending(task(1)).kind).toBe("agent.run");
});

describe("rule B1: time", () => {
  test("B1: when it is up the run ends at once, with 6, also when others were told to it in pieces", () => {
    const scene = working(1, 1, wish({ ms: 90_000 }));
    scene.send({ type: "time.pass", run: scene.run, ms: 60_000 });
    expect(scene.all("budget.reached")).toEqual([]);
    scene.send({ type: "time.pass", run: scene.run, ms: 30_000 });
    expect(scene.state.runs.get(scene.run)?.ending).toEqual({
      reason: "budget",
      detail: "the time is used up: 1.5 minutes of 1.5 minutes",
      now: true,
    });
    scene.start(1);
    expect(scene.all("run.ended").at(-1)).toMatchObject({ run: "run-2", reason: "budget" });
  });

  test("B1: a run that holds in a pause ends too, and so does one that is started then", () => {
    const scene = new Scene();
    scene.start(1, { budget: wish({ ms: 60_000 }) });
    scene.complete(task(1));
    scene.send({ type: "task.add", task: { title: "next", validation: { command: "true", timeoutMs: 1_000 } } });
    scene.send({ type: "mission.pause", by: "me" });
    scene.start();
    expect(scene.ends()).toEqual(["completed"]);
    scene.send({ type: "time.pass", run: scene.run, ms: 60_000 });
    scene.start();
    expect(scene.ends()).toEqual(["completed", "budget", "budget"]);
  });
});
