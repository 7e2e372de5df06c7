import { expect, test } from "vitest";
import { briefFor } from "../../src/core/brief.ts";
import { maxRepairs } from "../../src/core/decide/repair.ts";
import { logLine } from "../../src/core/views/log-line.ts";
import { commitOf, conflict, markersLeft, rebasedOnto, Scene } from "./scene.ts";

const candidate = { commit: commitOf("b"), parent: commitOf("1") };
const ended = { kind: "agent.ended", end: { reason: "finished", message: "done" } } as const;

function inConflict(options: ConstructorParameters<typeof Scene>[0] = [{}], limits = {}): Scene {
  const scene = new Scene(options, limits);
  scene.start();
  scene.open("task-001");
  scene.collide("task-001");
  return scene;
}

test("G5: a conflict is repaired by an iteration on the new head, and nothing is charged for it", () => {
  const scene = inConflict();
  expect(scene.pending("task-001")).toMatchObject({ kind: "workspace.rebase", base: commitOf("0") });
  scene.rebase("task-001");
  expect(scene.pending("task-001")).toMatchObject({ kind: "agent.run", iteration: 2, base: commitOf("1") });
  scene.answer("task-001", ended);
  const kept = commitOf("c");
  expect(scene.pending("task-001")).toMatchObject({ kind: "workspace.commit", base: commitOf("1"), kept });
  scene.answer("task-001", { kind: "workspace.committed", candidate });
  scene.judge("task-001", "pass");
  scene.answer("task-001", { kind: "workspace.merged", commit: commitOf("b") });
  expect([scene.ends(), scene.all("attempt.failed"), scene.state.tasks.get("task-001")?.attempts]).toEqual([
    ["completed"],
    [],
    1,
  ]);
});

test("G5: markers that were left are a conflict again: a person is asked, the task is held, the others go on", () => {
  const scene = inConflict([{}, {}]);
  scene.rebase("task-001");
  scene.answer("task-001", ended);
  scene.answer("task-001", { kind: "failed", failure: markersLeft });
  expect(scene.all("attempt.failed").map(({ costs }) => costs)).toEqual(["nothing"]);
  scene.archive("task-001");
  const [asked] = scene.all("approval.asked");
  expect(asked).toMatchObject({ name: "conflict-task-001", task: "task-001", change: null });
  for (const part of ["a.txt", "task-9: Theirs", "Approve", "Deny"]) expect(asked?.question).toContain(part);
  scene.complete("task-002");
  expect(scene.ends()).toEqual(["waiting"]);
  expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 0, phase: { status: "pending" } });
});

test("G5: approved, the task starts again from the new head; denied, it has failed for good", () => {
  const asked = (): Scene => {
    const scene = inConflict([{ maxAttempts: 1 }, { dependsOn: ["task-001"] }]);
    scene.rebase("task-001");
    scene.answer("task-001", ended);
    scene.answer("task-001", { kind: "failed", failure: markersLeft });
    scene.archive("task-001");
    return scene;
  };
  const approved = asked();
  approved.send({ type: "approval.grant", name: "conflict-task-001" });
  approved.start();
  approved.complete("task-001");
  approved.complete("task-002");
  expect(approved.ends()).toEqual(["waiting", "completed"]);
  const denied = asked();
  denied.send({ type: "approval.deny", name: "conflict-task-001", note: "not worth it" });
  expect([denied.statusOf("task-001"), denied.statusOf("task-002")]).toEqual(["failed", "blocked"]);
  denied.start();
  expect(denied.ends()).toEqual(["waiting", "failed"]);
});

test(`G5: an attempt is repaired at most ${maxRepairs} times, each for a conflict of its own`, () => {
  const scene = inConflict();
  for (let repair = 1; repair <= maxRepairs; repair++) {
    expect(scene.pending("task-001").kind).toBe("workspace.rebase");
    scene.rebase("task-001");
    scene.collide("task-001");
  }
  expect(scene.pending("task-001").kind).toBe("workspace.archive");
  expect(scene.all("attempt.rebased")).toHaveLength(maxRepairs);
  scene.archive("task-001");
  expect(scene.all("approval.asked")[0]?.question).toContain("Merged meanwhile: task-9: Theirs");
});

test("I3: repairs count as iterations: where none is left, a person is asked at once", () => {
  const scene = inConflict([{}], { maxIterations: 1 });
  expect(scene.pending("task-001").kind).toBe("workspace.archive");
  scene.archive("task-001");
  expect(scene.all("approval.asked").map(({ name }) => name)).toEqual(["conflict-task-001"]);
});

test("G5: work that goes together with the head by now is committed without another iteration", () => {
  const scene = inConflict();
  scene.rebase("task-001", { files: [], fileCount: 0 });
  expect(scene.pending("task-001")).toMatchObject({ kind: "workspace.commit", base: commitOf("1") });
});

test("V1, G5: a repair that was lost is repeated, whether the agent began it or not, while iterations are left", () => {
  const lost = (tree: string, maxIterations: number): Scene => {
    const scene = inConflict([{}], { maxIterations });
    scene.rebase("task-001");
    scene.start();
    scene.answer("task-001", { kind: "agent.lost", uncommitted: true, commits: false, tree });
    return scene;
  };
  expect(lost("both", 3).pending("task-001")).toMatchObject({ kind: "agent.run", iteration: 3 });
  expect(lost("both", 2).all("attempt.failed")).toMatchObject([{ failure: { kind: "unresolved" }, costs: "nothing" }]);
  const halfDone = lost("half", 3);
  expect(halfDone.pending("task-001").kind).toBe("workspace.commit");
  halfDone.answer("task-001", { kind: "failed", failure: markersLeft });
  expect(halfDone.pending("task-001")).toMatchObject({ kind: "agent.run", iteration: 3 });
  // This one was heard to its end: what it left is judged.
  halfDone.answer("task-001", ended);
  halfDone.answer("task-001", { kind: "failed", failure: markersLeft });
  expect(halfDone.pending("task-001").kind).toBe("workspace.archive");
});

test("V1: a rebase whose run died is asked for again by the next one", () => {
  const scene = inConflict();
  scene.start();
  expect(scene.pending("task-001")).toMatchObject({ kind: "workspace.rebase", run: "run-2", fence: 2 });
  scene.rebase("task-001");
  expect(scene.pending("task-001").kind).toBe("agent.run");
});

test("G5: a task that is reset while its conflict is repaired is put away and asks nobody", () => {
  const scene = inConflict();
  scene.send({ type: "task.reset", tasks: ["task-001"] });
  scene.rebase("task-001");
  expect(scene.pending("task-001").kind).toBe("workspace.archive");
  scene.archive("task-001");
  expect([scene.all("approval.asked"), scene.statusOf("task-001")]).toEqual([[], "in_progress"]);
});

test("A2, G5: the brief of a repair names the files, both sides and what is looked for", () => {
  const scene = inConflict();
  scene.rebase("task-001", {
    files: [...rebasedOnto("1").files, { path: "gone\n## Forged", marked: false }],
    fileCount: 70,
  });
  const brief = briefFor(scene.state, "task-001", 2);
  const parts = [
    "    a.txt",
    "task-9: Theirs (9999999)",
    `git diff ${commitOf("c")}~ HEAD`,
    "2 of 70",
    "No conflict marker",
  ];
  for (const part of parts) expect(brief).toContain(part);
  expect(brief).not.toContain("\n## Forged");
  scene.answer("task-001", ended);
  scene.answer("task-001", { kind: "workspace.committed", candidate });
  expect(briefFor(scene.state, "task-001", 3)).not.toContain("in conflict");
});

test("N1, G5: a repair is a line of the log that names the others and the files", () => {
  const scene = inConflict();
  const [event] = scene.rebase("task-001").filter(({ type }) => type === "attempt.rebased");
  if (event === undefined) throw new Error("no event");
  expect(logLine({ ...event, at: 0 }, { session: 1, titleOf: () => "" })).toBe(
    "[1970-01-01T00:00:00.000Z] [SESSION-1] WARN [task-001] in conflict with task-9 over a.txt: to be repaired (base=1111111 kept=ccccccc)",
  );
});

test("G5: a feature's failed work that still has markers is not what its next attempt goes on with", () => {
  const scene = inConflict([{ kind: "feature" }]);
  scene.rebase("task-001");
  scene.answer("task-001", {
    kind: "agent.ended",
    end: { reason: "failed", failure: { kind: "task_exec", message: "gave up" } },
  });
  expect(scene.pending("task-001")).toMatchObject({ kind: "workspace.commit", kept: commitOf("c") });
  scene.answer("task-001", { kind: "failed", failure: conflict });
  expect(scene.pending("task-001").kind).toBe("workspace.archive");
});
