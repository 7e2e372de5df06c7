import { expect, test } from "vitest";
import type { Gate } from "../../src/gates/gate.ts";
import { succeeded } from "../../src/protocol/failure.ts";
import { Stage } from "./stage.ts";

const options = { lanes: 1 };
const forever = new AbortController().signal;
const validation = { use: "project", options: {} };
const judging = (verdict: "pass" | "fail"): Gate => ({
  check: async () =>
    verdict === "pass"
      ? { verdict, evidence: "" }
      : { verdict, failure: { kind: "test_fail", message: "the merge is red" } },
});

async function runWith(verdict: "pass" | "fail", integration: "branch" | "current" = "branch") {
  const stage = new Stage();
  const ports = stage.ports({ integration: { mode: integration, baseBranch: null, validation } });
  const judged: string[] = [];
  const mission = await stage.mission({
    ...ports,
    gate: (spec) => {
      judged.push(spec.use);
      return succeeded(judging(spec.use === "project" ? verdict : "pass"));
    },
  });
  stage.repository.user.commit("mine.txt", "mine");
  await mission.run(options, forever);
  return { stage, mission, judged };
}

test("G5: what the user committed is judged with the project's own validation before the mission branch moves", async () => {
  const { stage, mission, judged } = await runWith("pass");
  expect([judged, stage.repository.readAtHead("mine.txt")]).toEqual([["project", "command"], "mine"]);
  expect(mission.state().stayedBehind).toBe(null);
});

test("G5: a merge that does not pass is told once, and the mission goes on without it", async () => {
  const { stage, mission, judged } = await runWith("fail");
  expect([judged, stage.repository.readAtHead("mine.txt")]).toEqual([["project", "command"], null]);
  expect(mission.state().stayedBehind).toBe(stage.repository.user.head());
  await mission.submit({ type: "task.add", task: { title: "u", validation: { command: "true", timeoutMs: 1_000 } } });
  await mission.run(options, forever);
  expect([judged, mission.state().counts.completed]).toEqual([["project", "command", "command"], 2]);
});

test("G5: with integration current a merged task is in the user's branch when it is completed", async () => {
  const { stage, mission } = await runWith("pass", "current");
  expect([stage.repository.user.read("a.txt"), mission.state().tasks.get("task-001")?.accepted]).toEqual([
    expect.any(String),
    stage.repository.user.head(),
  ]);
});
