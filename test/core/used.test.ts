// What agents used: told by their iterations, folded by task and for the mission (B2).
import { expect, test } from "vitest";
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import { statusView } from "../../src/core/views/status.ts";
import { moneyText, tokensText } from "../../src/core/views/used.ts";
import type { Account, Cost } from "../../src/protocol/account.ts";
import { owner, Scene } from "./scene.ts";

const told = (usd: number | null, tokens = 10): Account => {
  const cost: Cost = usd === null ? { basis: "unknown" } : { basis: "reported", usd };
  return { turns: 1, tokens: { input: tokens, cached: 2 * tokens, output: 1 }, cost };
};
const sum = (turns: number, tokens: number, usd: number, unknown: number, open = 0, lost = 0) => ({
  ...{ turns, tokens: { input: tokens, cached: 2 * tokens, output: turns }, usd, unknown, lost, open },
});
const used = (scene: Scene) => {
  const view = statusView(scene.state);
  return { mission: view?.used, tasks: view?.tasks.map((task) => task.used) };
};

function begin(tasks: number): Scene {
  const scene = new Scene(Array.from({ length: tasks }, () => ({})));
  scene.start(tasks);
  for (let n = 1; n <= tasks; n++) scene.open(`task-00${n}`);
  return scene;
}
/** Its process is announced. */
function act(scene: Scene, task: string): void {
  const { id, fence, run } = scene.pending(task);
  scene.send({ type: "process.start", run, id, fence, process: owner });
}
const unfinished = (scene: Scene, task: string, account?: Account) =>
  scene.answer(task, { kind: "agent.ended", end: { reason: "unfinished", message: "more", account } });

test("B2: money adds up exactly, over iterations, tasks and a snapshot", () => {
  const scene = begin(2);
  // As floating numbers these three are 0.6000000000000001, or 0.30000000000000004 and 0.3.
  unfinished(scene, "task-001", told(0.1));
  unfinished(scene, "task-001", told(0.2));
  unfinished(scene, "task-002", told(0.3));
  const expected = { mission: sum(3, 30, 0.6, 0), tasks: [sum(2, 20, 0.3, 0), sum(1, 10, 0.3, 0)] };
  expect(used(scene)).toEqual(expected);
  const again = readSnapshot(writeSnapshot(scene.state));
  expect(again && statusView(again)?.used).toEqual(expected.mission);
});

test("B2: a thousand billionths are a millionth, whatever came before", () => {
  const scene = new Scene([{}], { maxIterations: 2_000 });
  scene.start();
  scene.open("task-001");
  unfinished(scene, "task-001", told(123_456.789));
  for (let n = 0; n < 1_000; n++) unfinished(scene, "task-001", told(0.000000001, 0));
  expect(used(scene).mission?.usd).toBe(123_456.789001);
});

test("B2: what has no price, and who tells nothing, is unknown and never nothing", () => {
  const scene = begin(1);
  unfinished(scene, "task-001", told(null));
  unfinished(scene, "task-001");
  unfinished(scene, "task-001", told(0));
  expect(used(scene).mission).toEqual(sum(2, 20, 0, 2));
});

test("B2: an agent that claims more than there is cannot make a sum that is no number", () => {
  const scene = begin(1);
  const most = Number.MAX_SAFE_INTEGER;
  const claim = { turns: most, tokens: { input: most, cached: most, output: most } };
  for (const usd of [1e300, 1]) unfinished(scene, "task-001", { ...claim, cost: { basis: "reported", usd } });
  const sums = { ...claim, usd: most / 1e9, unknown: 0, lost: 0, open: 0 };
  expect(used(scene).mission).toEqual(sums);
  const again = readSnapshot(writeSnapshot(scene.state));
  expect(again && statusView(again)?.used).toEqual(sums);
});

test("B2: while an agent works its part is open, and told it is closed", () => {
  const scene = begin(1);
  act(scene, "task-001");
  act(scene, "task-001");
  expect(used(scene).mission).toEqual(sum(0, 0, 0, 0, 1));
  unfinished(scene, "task-001", told(0.5));
  expect(used(scene).mission).toEqual(sum(1, 10, 0.5, 0));
});

test("B2, V1: what an agent used that was lost with its run is unknown, once, and the mission says so", () => {
  const scene = begin(1);
  act(scene, "task-001");
  scene.start();
  expect(used(scene).mission).toEqual(sum(0, 0, 0, 0, 1));
  scene.answer("task-001", { kind: "agent.lost", uncommitted: true, commits: false, tree: "t" });
  expect(used(scene)).toEqual({ mission: sum(0, 0, 0, 1, 0, 1), tasks: [sum(0, 0, 0, 1, 0, 1)] });
  scene.finish("task-001");
});

test("B2, V1: what a lost agent told before it was gone is used, and the rest unknown", () => {
  const scene = begin(1);
  act(scene, "task-001");
  const lost = { kind: "agent.lost", uncommitted: true, commits: false, tree: "t" } as const;
  scene.answer("task-001", { ...lost, account: told(null) });
  expect(used(scene).mission).toEqual(sum(1, 10, 0, 1));
});

test("B2, V1: an agent that never started used nothing", () => {
  const scene = begin(1);
  scene.start();
  scene.answer("task-001", { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
  expect(used(scene).mission).toEqual(sum(0, 0, 0, 0));
});

test("B2, K6: a reset takes back attempts, not what they used", () => {
  const scene = begin(1);
  act(scene, "task-001");
  scene.send({ type: "task.reset", tasks: ["task-001"] });
  const end = { reason: "interrupted", account: told(0.25) } as const;
  scene.answer("task-001", { kind: "agent.ended", end });
  expect([used(scene).mission, scene.state.tasks.get("task-001")?.attempts]).toEqual([sum(1, 10, 0.25, 0), 0]);
});

test("B2: who worked is kept with the task: driver, version, model", () => {
  const scene = begin(1);
  const agent = { name: "claude-code", version: "2.1.325", model: "claude-opus-5-5" };
  scene.answer("task-001", { kind: "agent.ended", end: { reason: "unfinished", message: "more" }, agent });
  unfinished(scene, "task-001");
  expect(statusView(scene.state)?.tasks[0]?.agent).toEqual(agent);
});

test("money is shown to the cent, and less than that as what it is", () => {
  expect([0, 1234.567, 0.01, 0.0099, 0.00012, 0.00009].map(moneyText)).toEqual([
    "$0.00",
    "$1234.57",
    "$0.01",
    "$0.0099",
    "$0.0001",
    "under $0.0001",
  ]);
  expect([999, 1_000, 999_949, 999_950, 12_345_678].map(tokensText)).toEqual([
    "999",
    "1.0k",
    "999.9k",
    "1.0M",
    "12.3M",
  ]);
});
