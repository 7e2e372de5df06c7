// Leases through the real runtime: given, renewed, and judged with the journal locked.
import { expect, test } from "vitest";
import { succeeded } from "../../src/protocol/failure.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { openMemoryStore } from "../../src/stores/index.ts";
import { createMemoryWorkspaces } from "../../src/workspaces/index.ts";
import { never, Stage } from "./stage.ts";

const request = { worker: "w", leaseSeconds: 60, trust: { how: "none" } } as const;

/** Time that a test moves on. */
class Hands implements Clock {
  monotonicMs = 0;
  now = () => 1_000;
  monotonic = () => this.monotonicMs;
  every = () => ({ stop: () => undefined });
}

async function staged() {
  const stage = new Stage();
  const clock = new Hands();
  const first = await stage.mission({ clock });
  await first.submit({ type: "mission.configure", concurrency: "concurrent" });
  await first.submit({ type: "task.add", task: { title: "u", validation: { command: "true", timeoutMs: 1_000 } } });
  return { stage, clock };
}
const claimOf = async (claimed: Awaited<ReturnType<Awaited<ReturnType<Stage["mission"]>>["outside"]["claim"]>>) =>
  claimed.ok ? claimed.value : Promise.reject(new Error(claimed.failure.message));

test("L2: a lease that was renewed while somebody looked at it is not taken for over", async () => {
  const { stage, clock } = await staged();
  const worker = await stage.mission({ clock });
  const held = await claimOf(await worker.outside.claim(request, never));
  clock.monotonicMs = 60_001;
  const inner = openMemoryStore(stage.journal);
  const holding = { task: held.task, claim: held.claim, leaseSeconds: 60 };
  let renewed = false;
  const store = Object.assign(Object.create(inner), {
    // At the last moment before the transaction of whoever would take over.
    transact: async (transaction: Parameters<typeof inner.transact>[0]) => {
      if (!renewed) {
        renewed = true;
        expect(await worker.outside.renew(holding)).toMatchObject({ ok: true });
      }
      return inner.transact(transaction);
    },
    ...Object.fromEntries(
      (
        [
          "read",
          "head",
          "changed",
          "loadSnapshot",
          "saveSnapshot",
          "runs",
          "leases",
          "renew",
          "exclusively",
          "verify",
          "close",
        ] as const
      ).map((name) => [name, (inner[name] as (...args: never[]) => unknown).bind(inner)]),
    ),
  });
  const other = await stage.mission({ clock, store });
  expect(await claimOf(await other.outside.claim({ ...request, worker: "o" }, never))).toMatchObject({
    task: "task-002",
  });
  expect(stage.journal.events.filter(({ body }) => body.includes('"lapsed"'))).toEqual([]);
});

test("L2, L3: past its lease a claim is taken over, and the first worker is told so", async () => {
  const { stage, clock } = await staged();
  const worker = await stage.mission({ clock });
  const held = await claimOf(await worker.outside.claim(request, never));
  stage.repository.write(held.workspace, "a.txt", "half\n");
  clock.monotonicMs = 60_001;
  const other = await stage.mission({ clock });
  expect(await other.run({ lanes: 1 }, never)).toMatchObject({ reason: "completed" });
  const late = await worker.outside.done({ task: held.task, claim: held.claim, leaseSeconds: 60 }, "done", never);
  expect(late).toMatchObject({ ok: false, failure: { message: "stale: task-001 is completed" } });
  expect(stage.repository.merges().map(({ task }) => task)).toEqual(["task-001", "task-002"]);
});

test("L3, L4: done is answered once more to the claim that handed in, and to no other", async () => {
  const { stage, clock } = await staged();
  const worker = await stage.mission({ clock });
  const { task, claim, workspace } = await claimOf(await worker.outside.claim(request, never));
  stage.repository.write(workspace, "a.txt", "whole\n");
  const holding = { task, claim, leaseSeconds: 60 };
  const done = await worker.outside.done(holding, "done", never);
  const length = stage.journal.events.length;
  const other = await stage.mission({ clock });
  expect(await other.outside.done(holding, "done", never)).toEqual(done);
  const stale = { ok: false, failure: { kind: "usage", message: "stale: task-001 is completed" } };
  for (const number of [claim - 1, claim + 1]) {
    expect(await other.outside.done({ ...holding, claim: number }, "done", never)).toEqual(stale);
  }
  expect(await other.outside.fail(holding, { kind: "task_exec", message: "late" }, never)).toEqual(stale);
  expect(await other.outside.renew(holding)).toEqual(stale);
  expect([done.ok, stage.journal.events.length]).toEqual([true, length]);
});

test("L2: done keeps its lease while the gate takes its time", async () => {
  const { stage, clock } = await staged();
  const beats: (() => void)[] = [];
  const ticking: Clock = {
    now: clock.now,
    monotonic: clock.monotonic,
    every: (_milliseconds, beat) => {
      beats.push(beat);
      return { stop: () => undefined };
    },
  };
  const gate = {
    check: async () => {
      for (let third = 0; third < 6; third++) {
        clock.monotonicMs += 20_000;
        for (const beat of beats) beat();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { verdict: "pass", evidence: "" } as const;
    },
  };
  const worker = await stage.mission({ clock: ticking, gate: () => ({ ok: true, value: gate }) });
  const held = await claimOf(await worker.outside.claim(request, never));
  const holding = { task: held.task, claim: held.claim, leaseSeconds: 60 };
  const done = worker.outside.done(holding, "done", never);
  expect(await done).toMatchObject({ ok: true, value: { completed: true } });
  expect(clock.monotonicMs).toBeGreaterThan(60_000);
});

test("L4: who takes up a done that could not be judged is told why, as the first would have been", async () => {
  const { stage, clock } = await staged();
  const failure = { kind: "env_setup", message: "no room for a clean checkout", remedy: "make some" } as const;
  const gate = { check: async () => ({ verdict: "unable", failure }) as const };
  const memory = createMemoryWorkspaces(stage.repository);
  let reached: () => void = () => undefined;
  const isPutAway = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const archive = () => {
    reached();
    return new Promise<never>(() => undefined);
  };
  const parts = { clock, gate: () => succeeded(gate) };
  const worker = await stage.mission({ ...parts, workspaces: { ...memory, archive } });
  const { task, claim, workspace } = await claimOf(await worker.outside.claim(request, never));
  stage.repository.write(workspace, "a.txt", "whole\n");
  const holding = { task, claim, leaseSeconds: 60 };
  void worker.outside.done(holding, "done", never);
  await isPutAway;
  const next = await stage.mission(parts);
  const told = { ok: true, value: { completed: false, status: "pending", failure } };
  expect(await next.outside.done(holding, "done", never)).toEqual(told);
  expect(await next.outside.done(holding, "done", never)).toEqual(told);
});
