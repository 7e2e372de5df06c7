import { describe, expect, test } from "vitest";
import { type RecoveryRow, recoveryTable } from "../../src/core/recovery.ts";
import { remedies } from "../../src/core/remedies.ts";
import { FailureKind } from "../../src/protocol/failure.ts";
import { Scene } from "./scene.ts";

describe("rule E: the remedy of each kind of failure", () => {
  const expected: Record<
    FailureKind,
    { costs: string; becomes: string; run: readonly string[]; asks: readonly string[] }
  > = {
    env_setup: { costs: "nothing", becomes: "pending", run: ["environment"], asks: [] },
    config: { costs: "nothing", becomes: "pending", run: ["environment"], asks: [] },
    task_exec: { costs: "attempt", becomes: "in_progress", run: [], asks: [] },
    test_fail: { costs: "attempt", becomes: "in_progress", run: [], asks: [] },
    timeout: { costs: "attempt", becomes: "in_progress", run: [], asks: [] },
    dependency: { costs: "nothing", becomes: "failed", run: ["failed"], asks: [] },
    session_timeout: { costs: "attempt", becomes: "in_progress", run: [], asks: [] },
    auth: { costs: "nothing", becomes: "pending", run: ["waiting"], asks: ["auth"] },
    merge_conflict: { costs: "nothing", becomes: "pending", run: ["waiting"], asks: ["conflict-task-001"] },
    unresolved: { costs: "nothing", becomes: "pending", run: ["waiting"], asks: ["conflict-task-001"] },
    iterations_used_up: { costs: "attempt", becomes: "in_progress", run: [], asks: [] },
    stuck: { costs: "attempt", becomes: "in_progress", run: [], asks: [] },
    resources: { costs: "attempt", becomes: "in_progress", run: [], asks: [] },
    machine_full: { costs: "nothing", becomes: "pending", run: ["environment"], asks: [] },
    usage: { costs: "nothing", becomes: "pending", run: ["environment"], asks: [] },
    trust: { costs: "nothing", becomes: "pending", run: ["waiting"], asks: ["trust"] },
    cancelled: { costs: "nothing", becomes: "in_progress", run: [], asks: [] },
    denied: { costs: "nothing", becomes: "failed", run: ["failed"], asks: [] },
    // After they were waited for: test/core/waiting.test.ts.
    usage_limit: { costs: "nothing", becomes: "pending", run: ["environment"], asks: [] },
    overloaded: { costs: "nothing", becomes: "pending", run: ["environment"], asks: [] },
    rate_limited: { costs: "nothing", becomes: "pending", run: ["environment"], asks: [] },
    network: { costs: "nothing", becomes: "pending", run: ["environment"], asks: [] },
  };
  test.each(FailureKind.options)("%s", (kind) => {
    const scene = new Scene([{ maxAttempts: 3 }]);
    scene.start();
    scene.open("task-001");
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "failed", failure: { kind, message: "bad" } } });
    scene.archive("task-001");
    expect({
      costs: scene.all("attempt.failed")[0]?.costs,
      becomes: scene.statusOf("task-001"),
      run: scene.ends(),
      asks: scene.all("approval.asked").map(({ name }) => name),
    }).toEqual(expected[kind]);
    expect(remedies[kind].charge).toBe(expected[kind].costs === "attempt");
  });
});

test("E: a fault stops the run it happened in, not the next one that only puts the work away", () => {
  const scene = new Scene();
  scene.start();
  scene.open("task-001");
  scene.answer("task-001", { kind: "failed", failure: { kind: "env_setup", message: "disk full" } });
  scene.start();
  scene.archive("task-001");
  scene.complete("task-001");
  expect(scene.ends()).toEqual(["lost", "completed"]);
});

describe("rule V1: what becomes of an attempt whose agent was lost", () => {
  interface Sight {
    readonly uncommitted?: true;
    readonly commits?: true;
    readonly checkpoint?: "same tree" | "other tree";
    readonly spoke?: true;
    readonly interrupted?: true;
    readonly conflict?: true;
    readonly loop?: true;
    readonly row: RecoveryRow;
    readonly next: string;
    readonly charged: number;
  }
  const sights: readonly Sight[] = [
    { uncommitted: true, conflict: true, row: "conflict", next: "agent.run", charged: 0 },
    { loop: true, row: "loop", next: "agent.run", charged: 0 },
    { loop: true, uncommitted: true, commits: true, row: "loop", next: "agent.run", charged: 0 },
    { row: "unheard", next: "workspace.archive", charged: 0 },
    { spoke: true, row: "no-progress", next: "workspace.archive", charged: 1 },
    { spoke: true, interrupted: true, row: "unheard", next: "workspace.archive", charged: 0 },
    { spoke: true, checkpoint: "same tree", row: "resume", next: "agent.run", charged: 0 },
    { spoke: true, checkpoint: "other tree", row: "checkpoint-lost", next: "workspace.archive", charged: 1 },
    { commits: true, row: "commits", next: "workspace.commit", charged: 0 },
    { commits: true, checkpoint: "other tree", row: "commits", next: "workspace.commit", charged: 0 },
    { uncommitted: true, row: "changes", next: "workspace.commit", charged: 0 },
    { uncommitted: true, checkpoint: "same tree", row: "changes", next: "workspace.commit", charged: 0 },
    { uncommitted: true, commits: true, row: "both", next: "workspace.commit", charged: 0 },
  ];
  test.each(sights)(
    "$row (uncommitted $uncommitted, commits $commits, checkpoint $checkpoint, spoke $spoke, interrupted $interrupted)",
    (sight) => {
      const scene = new Scene([sight.loop ? { loop: { promise: "DONE", maxIterations: 3 } } : {}]);
      scene.start();
      scene.open("task-001");
      if (sight.conflict) {
        scene.collide("task-001");
        scene.rebase("task-001", { tree: "t" });
      }
      const { id, fence, run } = scene.pending("task-001");
      if (sight.spoke) scene.send({ type: "agent.speak", run, id, fence });
      if (sight.checkpoint !== undefined) {
        scene.send({
          type: "agent.checkpoint",
          run,
          id,
          fence,
          checkpoint: { step: 1, total: 2, description: "half", tree: "t" },
        });
      }
      if (sight.interrupted) scene.send({ type: "run.end", run, reason: "interrupted", detail: "" });
      scene.start();
      const { uncommitted = false, commits = false } = sight;
      scene.answer("task-001", {
        kind: "agent.lost",
        uncommitted,
        commits,
        tree: sight.checkpoint === "other tree" ? "u" : "t",
      });
      expect(scene.all("attempt.recovered").map(({ row }) => row)).toEqual([sight.row]);
      expect(scene.pending("task-001").kind).toBe(sight.next);
      expect(scene.state.tasks.get("task-001")?.attempts).toBe(sight.charged);
    },
  );
  test("every row of the table has a sight above", () => {
    expect([...new Set(sights.map(({ row }) => row))].sort()).toEqual(Object.keys(recoveryTable).sort());
  });
});
