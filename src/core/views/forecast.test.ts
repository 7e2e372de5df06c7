import { expect, test } from "vitest";
import { TaskSpec } from "../../protocol/task.ts";
import { emptyState } from "../empty-state.ts";
import { freshTask } from "../evolve/task.ts";
import { noTally } from "../evolve/used.ts";
import type { State } from "../state.ts";
import { forecastText } from "./budget.ts";
import { forecastOf } from "./forecast.ts";

function stateOf(finished: readonly number[], left: number, failed = 0): State {
  const state = { ...emptyState(), used: { ...noTally(), nanoUsd: (failed + sum(finished)) * 1e9 } };
  const add = (id: string, done: boolean, usd: number) => {
    const task = freshTask(TaskSpec.parse({ id, title: id }));
    const phase = done ? ({ status: "completed", commit: "c", at: 1 } as const) : task.phase;
    state.tasks.set(id, { ...task, phase, used: { ...noTally(), nanoUsd: usd * 1e9 } });
  };
  for (const [at, usd] of finished.entries()) add(`done-${at}`, true, usd);
  for (let at = 0; at < left; at++) add(`open-${at}`, false, 0);
  return state;
}
const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

test("B2: nothing is said before a finished task has told what it cost", () => {
  expect([forecastOf(stateOf([], 3)), forecastOf(stateOf([0], 3))]).toEqual([null, null]);
});

test("B2: what failed counts: each finished task has its part of it", () => {
  const forecast = forecastOf(stateOf([1, 1], 3, 1));
  expect(forecast).toEqual({ perTaskUsd: 1.5, tasks: 2, left: 3, p50Usd: 4.5, p90Usd: null });
  expect(forecast === null ? "" : forecastText(forecast)).toBe("$1.50 for each finished task; the 3 left: about $4.50");
});

test("B2: with a few finished tasks nine in ten are told as well, further off the further their costs lie apart", () => {
  const even = forecastOf(stateOf([1, 1, 1], 4));
  const uneven = forecastOf(stateOf([0.5, 1, 1.5], 4));
  expect([even?.p50Usd, even?.p90Usd]).toEqual([4, 4]);
  // 1.2816 × √(0.25 × (4 + 16 / 3))
  expect([uneven?.p50Usd, uneven?.p90Usd?.toFixed(4)]).toEqual([
    4,
    (4 + 1.2816 * Math.sqrt(0.25 * (4 + 16 / 3))).toFixed(4),
  ]);
});
