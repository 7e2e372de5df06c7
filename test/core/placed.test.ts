// Where a mission's attempts work is the mission's own fact: it changes only between attempts.
import { expect, test } from "vitest";
import { statusView } from "../../src/core/views/status.ts";
import { Scene } from "./scene.ts";

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

test("A1: a mission works in clones until it is placed elsewhere; placing it where it is changes nothing", () => {
  const scene = new Scene([{}]);
  expect(scene.state.mission?.workspace).toBe("clone");
  const branch = scene.state.mission?.branch ?? "";
  expect(types(scene.send({ type: "mission.place", workspace: "clone", branch }))).toEqual([]);
  expect(types(scene.send({ type: "mission.place", workspace: "in-place", branch: "main" }))).toEqual([
    "mission.placed",
  ]);
  expect(scene.state.mission).toMatchObject({ workspace: "in-place", branch: "main" });
});

test("A1: it is not moved while an attempt is open, and is told how to go on", () => {
  const scene = new Scene([{}]);
  scene.start(1);
  const refused = scene.send({ type: "mission.place", workspace: "worktree", branch: "harness/m" });
  expect(refused).toMatchObject([
    { type: "input.refused", failure: { remedy: expect.stringContaining("--workspace clone") } },
  ]);
  expect(scene.state.mission?.workspace).toBe("clone");
});

test("A1: merged work ties it to its branch, not to its kind of workspace", () => {
  const scene = new Scene([{}, {}]);
  scene.start(1, { claims: 1 });
  scene.complete("task-001");
  expect([scene.statusOf("task-001"), scene.ends()]).toEqual(["completed", ["batch"]]);
  const away = scene.send({ type: "mission.place", workspace: "in-place", branch: "main" });
  expect(away).toMatchObject([
    { type: "input.refused", failure: { message: expect.stringContaining("are on harness/m") } },
  ]);
  const linked = scene.send({ type: "mission.place", workspace: "worktree", branch: "harness/m" });
  expect(types(linked)).toEqual(["mission.placed"]);
});

test("G5: in place finished work waits for nobody: it is in the user's branch", () => {
  const scene = new Scene([{}, {}]);
  scene.send({ type: "mission.place", workspace: "in-place", branch: "main" });
  scene.start(1, { claims: 1 });
  scene.complete("task-001");
  expect(statusView(scene.state)?.finished).toEqual({ accepted: 1, waiting: 0 });
});

test("A1: in place there is one lane", () => {
  const scene = new Scene([{}, {}]);
  scene.send({ type: "mission.place", workspace: "in-place", branch: "main" });
  scene.start(2);
  expect(scene.all("input.refused").at(-1)?.failure).toMatchObject({
    kind: "config",
    message: expect.stringContaining("one lane"),
  });
  expect(scene.all("run.started")).toEqual([]);
});

test("PR-10: which sandbox a run has is told when it is another than before, also after an outside worker", () => {
  const scene = new Scene([{}]);
  const told = (options: Parameters<Scene["start"]>[1]) => {
    const found = scene.start(1, options).find(({ type }) => type === "sandbox.changed");
    return [found, statusView(scene.state)?.sandbox];
  };
  expect(told({ sandbox: "bubblewrap" })).toEqual([
    { type: "sandbox.changed", run: scene.run, sandbox: "bubblewrap" },
    "bubblewrap",
  ]);
  expect(told({ sandbox: "bubblewrap" })).toEqual([undefined, "bubblewrap"]);
  expect(told({ run: "outside-1", leaseSeconds: 60 })).toEqual([undefined, "bubblewrap"]);
  expect(told({ sandbox: "bubblewrap" })).toEqual([undefined, "bubblewrap"]);
  expect(told({ sandbox: "none" })).toEqual([{ type: "sandbox.changed", run: scene.run, sandbox: "none" }, "none"]);
});
