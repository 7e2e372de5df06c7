import { describe, expect, test } from "vitest";
import { outsideRunId } from "../../src/protocol/ids.ts";
import type { Gone } from "../../src/protocol/input.ts";
import type { Limits } from "../../src/protocol/task.ts";
import { commitOf, Scene } from "./scene.ts";

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

/** A mission that several may work on at once. */
function shared(tasks: number, limits: Partial<Limits> = {}): Scene {
  const scene = new Scene(
    Array.from({ length: tasks }, () => ({})),
    limits,
  );
  scene.send({ type: "mission.configure", concurrency: "concurrent" });
  return scene;
}

/** An outside worker claims, and is sent to its workspace. */
function claim(scene: Scene, worker: string, gone: readonly Gone[] = []): { run: string; task: string; claim: number } {
  const run = outsideRunId(worker);
  scene.start(1, { run, worker, claims: 1, leaseSeconds: 60, gone });
  const task = [...scene.state.working].find((id) => scene.pending(id).run === run) ?? "";
  scene.open(task);
  const phase = scene.state.tasks.get(task)?.phase;
  if (phase?.status !== "in_progress") throw new Error(`${worker} was given nothing`);
  return { run, task, claim: phase.attempt.claim };
}

/** From the worker's word to the merge. */
function handIn(scene: Scene, held: { run: string; task: string; claim: number }): void {
  scene.send({ type: "claim.finish", message: "done", ...held });
  scene.answer(held.task, { kind: "workspace.committed", candidate: { commit: commitOf("a"), parent: commitOf("0") } });
  scene.judge(held.task, "pass");
  scene.answer(held.task, { kind: "workspace.merged", commit: commitOf("a") });
}

describe("L2: concurrent", () => {
  test("two runs claim different tasks, on different lanes, in one session", () => {
    const scene = shared(3);
    scene.start(1, { gone: [] });
    scene.start(1, { gone: [] });
    expect(scene.all("task.claimed").map(({ task, lane, fence }) => [task, lane, fence])).toEqual([
      ["task-001", 0, 1],
      ["task-002", 1, 2],
    ]);
    expect(scene.all("session.started")).toHaveLength(1);
  });

  test("what a run that is gone carried is adopted by one that lives, with a new fence", () => {
    const scene = shared(1);
    scene.start(1, { gone: [] });
    const old = scene.pending("task-001");
    scene.start(1, { gone: [] });
    expect(scene.pending("task-001")).toEqual(old);
    const lost = scene.send({ type: "run.tick", run: "run-2", gone: [{ run: "run-1", how: "lost" }] });
    expect(types(lost)).toEqual(["run.ended", "effect.adopted"]);
    expect(scene.pending("task-001")).toMatchObject({ run: "run-2", fence: old.fence + 1 });
  });

  test("a run with nothing to claim waits while others work, and the last one ends the session", () => {
    const scene = shared(1);
    scene.start(1, { gone: [] });
    scene.start(1, { gone: [] });
    expect(scene.ends()).toEqual([]);
    scene.complete("task-001");
    expect(scene.ends()).toEqual(["completed"]);
    expect(scene.all("session.ended")).toEqual([]);
    scene.send({ type: "run.tick", run: "run-2", gone: [] });
    expect(scene.ends()).toEqual(["completed", "completed"]);
    expect(scene.all("session.ended")).toHaveLength(1);
  });

  test("the mode changes only while nobody works", () => {
    const scene = shared(1);
    scene.start(1, { gone: [] });
    const refused = scene.send({ type: "mission.configure", concurrency: "exclusive" });
    expect(refused).toMatchObject([
      { type: "input.refused", failure: { message: "it cannot become exclusive while it is worked on" } },
    ]);
  });

  test("L1: exclusive: an outside worker's claim keeps others out until its lease is over", () => {
    const scene = new Scene([{}, {}]);
    const held = claim(scene, "w");
    const remedy =
      'wait until it hands in task-001 or its lease ends, or take that away: harness reset; for several at once, when nobody is at work: "concurrency": "concurrent" in .harness/config.json';
    expect(scene.start(1, { gone: [] })).toMatchObject([
      { type: "input.refused", failure: { message: "Another harness session is active (worker w)", remedy } },
    ]);
    expect(types(scene.start(1, { gone: [{ run: held.run, how: "lapsed" }] }))).toContain("effect.adopted");
  });
});

describe("L4: an outside worker", () => {
  test("claims one task, hands it in, and its run is over; the session stays open for the next", () => {
    const scene = shared(2);
    const held = claim(scene, "w");
    expect(held).toEqual({ run: "outside:w", task: "task-001", claim: 1 });
    handIn(scene, held);
    expect(scene.statusOf("task-001")).toBe("completed");
    expect(scene.ends()).toEqual(["batch"]);
    expect(scene.state.session).toEqual({ number: 1, settled: 1 });
    expect(claim(scene, "w2").task).toBe("task-002");
    expect(scene.all("session.started")).toHaveLength(1);
  });

  test("the last task handed in ends session and mission", () => {
    const scene = shared(1);
    handIn(scene, claim(scene, "w"));
    expect(scene.ends()).toEqual(["completed"]);
    expect(scene.all("session.ended")).toHaveLength(1);
  });

  test("S2: asking in vain uses up no session", () => {
    const scene = shared(1);
    handIn(scene, claim(scene, "w"));
    scene.start(1, { run: outsideRunId("late"), worker: "late", claims: 1, gone: [] });
    expect(scene.ends()).toEqual(["completed", "completed"]);
    expect(scene.all("session.started")).toHaveLength(1);
  });

  test("with nothing ready it is told so at once, and waits for nobody", () => {
    const scene = shared(1);
    claim(scene, "w");
    scene.start(1, { run: outsideRunId("late"), worker: "late", claims: 1, gone: [] });
    expect(scene.all("run.ended")).toMatchObject([{ reason: "batch", detail: "nothing is ready now" }]);
  });

  test("C2: a stop is for our own runs; a pause keeps workers from taking more", () => {
    const scene = shared(2);
    claim(scene, "w");
    expect(scene.send({ type: "mission.stop", now: false })).toMatchObject([
      { type: "input.refused", failure: { message: "only outside workers are at work" } },
    ]);
    scene.send({ type: "mission.pause", by: "me" });
    scene.start(1, { run: outsideRunId("late"), worker: "late", claims: 1, gone: [] });
    expect(scene.all("run.ended")).toMatchObject([{ reason: "stopped", detail: "the mission is paused" }]);
  });

  test("fails its task: charged, archived, to be tried again", () => {
    const scene = shared(1);
    const held = claim(scene, "w");
    scene.send({ type: "claim.fail", ...held, failure: { kind: "task_exec", message: "no access" } });
    scene.archive("task-001");
    expect(scene.state.tasks.get("task-001")?.errorLog).toEqual(["[TASK_EXEC] no access"]);
    expect(scene.statusOf("task-001")).toBe("failed");
  });

  test("marks progress with its claim", () => {
    const scene = shared(1);
    const held = claim(scene, "w");
    const checkpoint = { step: 1, total: 2, description: "half", tree: "t" };
    expect(scene.send({ type: "claim.checkpoint", ...held, checkpoint })).toEqual([
      { type: "agent.checkpointed", task: "task-001", attempt: 1, checkpoint },
    ]);
  });

  test("L4: a step beyond the last is no progress: it is refused, and the marks stay as they were", () => {
    const scene = shared(1);
    const held = claim(scene, "w");
    const checkpoint = { step: 5, total: 2, description: "more than all", tree: "t" };
    expect(scene.send({ type: "claim.checkpoint", ...held, checkpoint })).toEqual([
      {
        type: "input.refused",
        input: "claim.checkpoint",
        subject: "task-001",
        failure: {
          kind: "usage",
          message: "there is no step 5 of 2",
          remedy: "say the step that is done, and of how many",
        },
      },
    ]);
  });

  test("L3: past its lease another takes the task over, and whatever the sleeper says changes nothing", () => {
    const scene = shared(1);
    const sleeper = claim(scene, "sleeper");
    scene.start(1, { gone: [{ run: sleeper.run, how: "lapsed" }] });
    const checkpoint = { step: 1, total: 2, description: "half", tree: "t" };
    for (const late of [
      { type: "claim.checkpoint", checkpoint },
      { type: "claim.finish", message: "done" },
      { type: "claim.fail", failure: { kind: "task_exec", message: "x" } },
    ] as const) {
      expect(scene.send({ ...sleeper, ...late })).toMatchObject([
        { type: "input.refused", failure: { message: "stale: fence 1, now 2" } },
      ]);
    }
  });

  test("L2: nobody is sent to the lane of a worker that was cut off: it may wake up and write there", () => {
    const scene = shared(2);
    const sleeper = claim(scene, "sleeper");
    scene.start(1, { gone: [{ run: sleeper.run, how: "lapsed" }] });
    scene.answer("task-001", { kind: "agent.lost", uncommitted: false, commits: false, tree: "t" });
    scene.archive("task-001");
    expect(scene.all("task.claimed").map(({ task, lane }) => [task, lane])).toEqual([
      ["task-001", 0],
      ["task-001", 1],
    ]);
  });

  test("handing in again takes over from whoever was killed in the middle of it", () => {
    const scene = shared(1);
    const held = claim(scene, "w");
    scene.send({ type: "claim.finish", message: "done", ...held });
    const first = scene.pending("task-001");
    expect(scene.send({ type: "claim.finish", message: "done", ...held })).toEqual([
      { type: "effect.adopted", id: first.id, run: held.run, fence: first.fence + 1 },
    ]);
    const answer = {
      kind: "workspace.committed",
      candidate: { commit: commitOf("a"), parent: commitOf("0") },
    } as const;
    const late = scene.send({ type: "effect.answer", run: held.run, id: first.id, fence: first.fence, answer });
    expect(types(late)).toEqual(["input.refused"]);
  });

  test("saying again that it failed takes over from whoever was killed while the work was put away", () => {
    const scene = shared(1);
    const held = claim(scene, "w");
    const said = { type: "claim.fail", ...held, failure: { kind: "task_exec", message: "no access" } } as const;
    scene.send(said);
    const first = scene.pending("task-001");
    expect(first.kind).toBe("workspace.archive");
    const adopted = { type: "effect.adopted", id: first.id, run: held.run } as const;
    expect(scene.send(said)).toEqual([{ ...adopted, fence: first.fence + 1 }]);
    expect(scene.send({ type: "claim.finish", message: "done", ...held })).toEqual([
      { ...adopted, fence: first.fence + 2 },
    ]);
    scene.archive("task-001");
    expect(scene.state.tasks.get("task-001")).toMatchObject({ attempts: 1, phase: { status: "failed" } });
  });

  test("what was handed in is not failed by its worker any more: whoever was killed is followed by saying done again", () => {
    const scene = shared(1);
    const held = claim(scene, "w");
    scene.send({ type: "claim.finish", message: "done", ...held });
    const failure = { kind: "task_exec", message: "after all not" } as const;
    expect(scene.send({ type: "claim.fail", ...held, failure })).toMatchObject([
      {
        type: "input.refused",
        failure: {
          message: "task-001 is committing: it was handed in before",
          remedy: "to see it to its end: harness done task-001",
        },
      },
    ]);
  });

  test("K6: a reset ends its claim; whoever runs next puts its work away", () => {
    const scene = shared(1);
    const held = claim(scene, "w");
    scene.send({ type: "task.reset", tasks: ["task-001"] });
    expect(scene.send({ type: "claim.finish", message: "done", ...held })).toMatchObject([{ type: "input.refused" }]);
    scene.start(1, { gone: [] });
    scene.answer("task-001", { kind: "agent.lost", uncommitted: true, commits: false, tree: "t" });
    scene.archive("task-001");
    expect(scene.all("task.reset")).toHaveLength(1);
    expect(scene.state.tasks.get("task-001")?.attempts).toBe(0);
  });

  test("a worker cannot hand in what one of our own runs carries", () => {
    const scene = shared(1);
    scene.start(1, { gone: [] });
    scene.open("task-001");
    const said = { type: "claim.finish", message: "", run: "run-1", task: "task-001", claim: 1 } as const;
    expect(scene.send(said)).toMatchObject([
      { failure: { message: "task-001 is carried by a run, which settles it itself" } },
    ]);
  });
});

describe("A1: a feature", () => {
  const resumes = (scene: Scene) =>
    scene.all("effect.requested").flatMap(({ effect }) => (effect.kind === "workspace.open" ? [effect.resume] : []));
  const candidate = { commit: commitOf("a"), parent: commitOf("0") };

  test("has five attempts, each going on with the work of the one before; a task starts from the head", () => {
    const scene = new Scene([{ kind: "feature" }, { kind: "task", dependsOn: ["task-001"] }]);
    scene.start();
    for (let attempt = 1; attempt <= 4; attempt++) scene.failOnce("task-001");
    scene.complete("task-001");
    scene.failOnce("task-002");
    expect(resumes(scene)).toEqual([null, candidate, candidate, candidate, candidate, null, null]);
  });

  test("work of an agent that ended badly is kept too, before it is put away", () => {
    const scene = new Scene([{ kind: "feature" }]);
    scene.start();
    scene.open("task-001");
    const failure = { kind: "task_exec", message: "crashed" } as const;
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "failed", failure } });
    expect(scene.pending("task-001").kind).toBe("workspace.commit");
    scene.answer("task-001", { kind: "workspace.committed", candidate });
    scene.archive("task-001");
    expect(resumes(scene)).toEqual([null, candidate]);
    expect(scene.state.tasks.get("task-001")?.attempts).toBe(1);
  });

  test("what cannot be kept is put away all the same", () => {
    const scene = new Scene([{ kind: "feature" }]);
    scene.start();
    scene.open("task-001");
    const failure = { kind: "task_exec", message: "crashed" } as const;
    scene.answer("task-001", { kind: "agent.ended", end: { reason: "failed", failure } });
    scene.answer("task-001", { kind: "failed", failure: { kind: "merge_conflict", message: "no" } });
    scene.archive("task-001");
    expect(resumes(scene)).toEqual([null, null]);
    expect(scene.all("attempt.failed")).toHaveLength(1);
  });

  test("K6: a reset begins anew, without it", () => {
    const scene = new Scene([{ kind: "feature", maxAttempts: 1 }]);
    scene.start();
    scene.failOnce("task-001");
    scene.send({ type: "task.reset", tasks: ["task-001"] });
    scene.start();
    expect(resumes(scene)).toEqual([null, null]);
  });
});

describe("S2: --once", () => {
  test("one batch is as many tasks as there are lanes; its counts are taken, and the session stays open", () => {
    const scene = new Scene([{}, {}, {}]);
    scene.start(2, { claims: 2 });
    scene.complete("task-001");
    expect([...scene.state.working]).toEqual(["task-002"]);
    scene.complete("task-002");
    expect(scene.ends()).toEqual(["batch"]);
    expect(scene.all("stats.taken").map(({ stats }) => stats.completed)).toEqual([2]);
    expect(scene.all("session.ended")).toEqual([]);
  });

  test("chained calls share a session until its limit", () => {
    const scene = new Scene([{}, {}, {}], { maxTasksPerSession: 2 });
    for (const task of ["task-001", "task-002", "task-003"]) {
      scene.start(1, { claims: 1 });
      scene.complete(task);
    }
    expect(scene.ends()).toEqual(["batch", "batch", "completed"]);
    expect(scene.all("session.started").map(({ session }) => session)).toEqual([1, 2]);
  });

  test("the batch that finds all done ends as completed", () => {
    const scene = new Scene([{}]);
    scene.start(1, { claims: 1 });
    scene.complete("task-001");
    expect(scene.ends()).toEqual(["completed"]);
  });

  test("C2: while paused it takes nothing and ends as stopped", () => {
    const scene = new Scene([{}]);
    scene.send({ type: "mission.pause", by: "me" });
    scene.start(1, { claims: 1 });
    expect(scene.all("run.ended")).toMatchObject([{ reason: "stopped", detail: "the mission is paused" }]);
    expect(scene.all("session.started")).toEqual([]);
  });

  test("a failed task that may be tried again is work that remains", () => {
    const scene = new Scene([{}]);
    scene.start(1, { claims: 1 });
    scene.failOnce("task-001");
    expect(scene.ends()).toEqual(["batch"]);
  });
});
