import { expect, test } from "vitest";
import { briefParts } from "../../src/core/brief.ts";
import { mostSteps, smaller } from "../../src/core/smaller-brief.ts";
import type { Account } from "../../src/protocol/account.ts";
import { Scene } from "./scene.ts";

const task = "task-001";
const description = "d".repeat(8_000);
const evidence = "e".repeat(4_000);
const nothing: Account = { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "unknown" } };

/** In its second attempt: the brief holds a failure. */
function second(maxIterations = 10): Scene {
  const scene = new Scene([{ description, maxAttempts: 2 }], { maxIterations });
  scene.start();
  scene.open(task);
  const failure = { kind: "task_exec", message: "it broke", evidence } as const;
  scene.answer(task, { kind: "agent.ended", end: { reason: "failed", failure } });
  scene.archive(task);
  scene.open(task);
  return scene;
}
const overflows = (scene: Scene, account: Account | undefined = nothing) => {
  const end = { reason: "unfinished", because: "overflow", message: "prompt is too long", account } as const;
  return scene.answer(task, { kind: "agent.ended", end, stood: { tree: "same" } });
};
const sizes = (scene: Scene) =>
  Object.fromEntries(briefParts(scene.state, task, 2).map(({ name, text }) => [name, text.length]));

test("E: each time the brief did not fit the next one is halved, its description only in the last step, its check never", () => {
  const scene = second();
  const all = [sizes(scene)];
  for (let step = 1; step <= mostSteps; step++) {
    overflows(scene);
    all.push(sizes(scene));
  }
  expect(all.map(({ description }) => description)).toEqual([8_000, 8_000, 8_000, 1_051]);
  expect(all.map(({ check }) => check)).toEqual([all[0]?.check, all[0]?.check, all[0]?.check, all[0]?.check]);
  const last = all.map((each) => each["last attempt"] ?? 0);
  expect(last.every((size, n) => n === 0 || size < (last[n - 1] ?? 0) * 0.6)).toBe(true);
});

test("E: what was left out is said, and so is why", () => {
  const scene = second();
  overflows(scene);
  const text = (name: string) => briefParts(scene.state, task, 2).find((part) => part.name === name)?.text;
  expect(text("last attempt")).toMatch(/\n… \d+ characters left out, to make this shorter …$/);
  expect(text("cut short")).toContain("because its context was full. This text is shorter for that reason");
});

test("E: when not even the smallest fits the attempt ends, naming sizes, and three iterations without a change are no circle", () => {
  const scene = second();
  for (let n = 0; n < 4; n++) overflows(scene);
  const [, failed] = scene.all("attempt.failed");
  expect(failed?.failure).toEqual({
    kind: "stuck",
    message: expect.stringMatching(
      /^the brief of task-001 does not fit into its agent's context, not even with \d+ characters \(task 23, description 1051, check 38, last attempt \d+, .*\): prompt is too long$/,
    ),
    remedy: expect.stringContaining("make the task smaller"),
  });
  expect(scene.all("iteration.ended").map(({ iteration }) => iteration)).toEqual([1, 1, 2, 3, 4]);
});

test("E, I3: iterations that overflow count, and the limit comes first", () => {
  const scene = second(2);
  overflows(scene);
  overflows(scene);
  expect(scene.all("attempt.failed").at(-1)?.failure.kind).toBe("iterations_used_up");
});

test("E: where the model answered the brief did fit: it stays as it is, and what changes nothing is a circle", () => {
  const scene = second();
  const before = sizes(scene);
  const account: Account = { ...nothing, tokens: { input: 900_000, cached: 0, output: 10 } };
  overflows(scene, account);
  expect(sizes(scene)).toMatchObject({ "last attempt": before["last attempt"], description: 8_000 });
  overflows(scene, account);
  overflows(scene, account);
  expect(scene.all("attempt.failed").at(-1)?.failure.message).toContain("went in circles: its files were the same");
});

test("E: short parts stay, and the next attempt begins with a whole brief", () => {
  const part = { name: "told", text: "short" };
  expect(smaller([part], 9)).toEqual([part]);
  const scene = new Scene([{ description, maxAttempts: 2 }], {});
  scene.start();
  scene.open(task);
  for (let n = 0; n < 4; n++) overflows(scene);
  scene.archive(task);
  scene.open(task);
  expect(sizes(scene).description).toBe(8_000);
});
