import { expect, test } from "vitest";
import { Scene } from "./scene.ts";

test("a question about a task holds that task alone; a grant lets it go", () => {
  const scene = new Scene([{}, {}]);
  scene.send({ type: "approval.ask", name: "sure", task: "task-001", question: "really?" });
  scene.start();
  scene.complete("task-002");
  expect(scene.ends()).toEqual(["waiting"]);
  scene.send({ type: "approval.grant", name: "sure" });
  scene.start();
  scene.complete("task-001");
  expect(scene.ends()).toEqual(["waiting", "completed"]);
});

test("a denied task is given up, and what depends on it is blocked", () => {
  const scene = new Scene([{}, { dependsOn: ["task-001"] }]);
  scene.send({ type: "approval.ask", name: "sure", task: "task-001", question: "really?" });
  scene.send({ type: "approval.deny", name: "sure", note: "not now" });
  expect([scene.statusOf("task-001"), scene.statusOf("task-002")]).toEqual(["failed", "blocked"]);
  expect(scene.state.tasks.get("task-001")?.failures).toEqual([
    { kind: "denied", message: '"sure" was denied: not now' },
  ]);
});

test("a question about the mission holds every claim until it is answered", () => {
  const scene = new Scene();
  scene.send({ type: "approval.ask", name: "plan", task: null, question: "start?" });
  scene.start();
  expect(scene.ends()).toEqual(["waiting"]);
  scene.send({ type: "approval.grant", name: "plan" });
  scene.start();
  scene.complete("task-001");
  expect(scene.ends()).toEqual(["waiting", "completed"]);
});

test("denying the mission's question stops a run that is on", () => {
  const scene = new Scene([{}, {}]);
  scene.start();
  scene.send({ type: "approval.ask", name: "plan", task: null, question: "go on?" });
  scene.send({ type: "approval.deny", name: "plan", note: "" });
  scene.complete("task-001");
  expect(scene.ends()).toEqual(["stopped"]);
});

test.each([
  [{ type: "approval.grant", name: "x" }, 'nobody asked "x"'],
  [{ type: "approval.deny", name: "x", note: "" }, 'nobody asked "x"'],
  [{ type: "approval.ask", name: "x", task: "no", question: "?" }, 'there is no task "no"'],
  [{ type: "mission.resume", by: "me" }, "the mission is not paused"],
  [{ type: "mission.stop", now: false }, "nothing is running"],
  [{ type: "task.add", task: { title: " " } }, 'task field "title": Too small: expected string to have >=1 characters'],
  [
    { type: "task.add", task: { title: "t", id: "../x" } },
    "task field \"id\": must be 1–64 letters, digits, '-' or '_', starting with a letter or digit",
  ],
  [{ type: "task.add", task: { title: "t", id: "task-001" } }, 'there is a task "task-001" already'],
  [
    { type: "task.add", task: { title: "t", dependsOn: ["nope"] } },
    '"task-002" depends on "nope", which does not exist',
  ],
  [
    { type: "task.add", task: { title: "t", dependsOn: ["task-001", "task-001"] } },
    '"task-002" names its dependency "task-001" twice',
  ],
] as const)("refused, with a reason, and nothing changes: %j", (asked, message) => {
  const scene = new Scene();
  const events = scene.send(asked);
  expect(events).toMatchObject([{ type: "input.refused", failure: { message } }]);
  expect(scene.state.tasks.size).toBe(1);
});
