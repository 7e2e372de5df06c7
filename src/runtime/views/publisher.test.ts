import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ReadonlyState } from "../../core/state.ts";
import { takeLock } from "../../kit/process-lock.ts";
import type { HookFacts } from "./hook-view.ts";
import { added, claimed, completed, created, owner, Place, paused, renderPlan } from "./place.fixture.ts";
import type { ViewSource } from "./view-source.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

const hook = () => place.json(".harness/hook.json") as HookFacts;

test("F4: publishing brings every view to the journal's head", async () => {
  await place.append(created, added("t-1"));
  const publisher = place.publisher();
  await publisher.publish();
  expect(place.json("harness-tasks.json")).toEqual({ tasks: [{ id: "t-1", status: "pending" }] });
  expect(place.log()).toEqual(["[SESSION-1] INIT Harness initialized for project /p", ""]);
  expect(place.text(".harness-active")).toBe("m-1\n");
  expect(hook().position).toBe(2);

  await place.append(claimed("t-1"), completed("t-1"));
  await publisher.flush();
  expect(place.json("harness-tasks.json")).toEqual({ tasks: [{ id: "t-1", status: "completed" }] });
  expect(existsSync(place.path(".harness-active"))).toBe(false);
  const { size, mtimeMs } = statSync(place.path("harness-tasks.json"));
  expect([hook().position, hook().tasksFile]).toEqual([4, { size, mtimeMs }]);
  expect([place.troubles, readdirSync(place.home)]).toEqual([[], ["views.json"]]);
});

test("F4: the tasks file is written at most once in 250 ms, by flush at once, and never for nothing", async () => {
  let renders = 0;
  const waiting: { ms: number; work: () => void }[] = [];
  const render = (state: ReadonlyState) => {
    renders += 1;
    return renderPlan(state);
  };
  const later = (ms: number, work: () => void) => {
    waiting.push({ ms, work });
    return () => undefined;
  };
  const publisher = place.publisher({ render, later });
  await place.append(created, added("t-0"));
  await publisher.publish();
  for (let n = 1; n <= 20; n += 1) {
    place.now += 10;
    await place.append(added(`t-${n}`));
    await publisher.publish();
  }
  // Small views follow every change; the large one waits for its time, and is asked for once.
  expect([renders, hook().position, waiting.map(({ ms }) => ms)]).toEqual([1, 22, [240]]);
  place.now += 50;
  waiting[0]?.work();
  await publisher.publish();
  expect([renders, (place.json("harness-tasks.json") as { tasks: unknown[] }).tasks.length]).toEqual([2, 21]);

  await place.append(added("t-21"));
  await publisher.flush();
  await publisher.flush();
  await publisher.close();
  expect(renders).toBe(3);
});

test("calls in one go are one piece of work", async () => {
  await place.append(created);
  let looks = 0;
  const source = place.source();
  const counting: ViewSource = {
    look: (use) => {
      looks += 1;
      return source.look(use);
    },
    read: source.read,
  };
  const publisher = place.publisher({ source: counting });
  await Promise.all([publisher.publish(), publisher.publish(), publisher.flush(), publisher.publish()]);
  // One for the page of the log, one for the other views.
  expect(looks).toBe(2);
});

test("what is asked for at the very end of a piece of work is not lost", async () => {
  const publisher = place.publisher();
  await place.append(created);
  for (let n = 0; n < 50; n += 1) {
    const working = publisher.publish();
    const asked = working.then(async () => {
      await place.append(paused(`p-${n}`));
      await publisher.publish();
    });
    await asked;
    expect(hook().position).toBe(n + 2);
  }
});

test("N1: two publishers at once on one root write every line once, in order", async () => {
  await place.append(created);
  const publishers = [place.publisher(), place.publisher()];
  const pending: Promise<void>[] = [];
  for (let n = 0; n < 40; n += 1) {
    await place.append(paused(`p-${n}`));
    for (const publisher of publishers) pending.push(publisher.publish());
  }
  await Promise.all(pending);
  await Promise.all(publishers.map((publisher) => publisher.close()));
  const expected = Array.from({ length: 40 }, (_, n) => `[SESSION-1] WARN paused by p-${n}`);
  expect(place.log()).toEqual(["[SESSION-1] INIT Harness initialized for project /p", ...expected, ""]);
  expect([hook().position, place.troubles]).toEqual([41, []]);
});

test("who held the lock looks again after its release, so what others committed meanwhile is shown", async () => {
  await place.append(created);
  const source = place.source();
  const held: boolean[] = [];
  const publisher = place.publisher({
    source: {
      look: source.look,
      read: async (after, limit) => {
        if (limit === 1) held.push(existsSync(join(place.home, "views.lock")));
        // Another process committed, found the lock taken, and left it to us.
        if (limit === 1 && held.length === 1) await place.append(paused("ann"));
        return source.read(after, limit);
      },
    },
  });
  await publisher.publish();
  expect([held, hook().position, place.log().at(-2)]).toEqual([[false, false], 2, "[SESSION-1] WARN paused by ann"]);
});

test("a lock left by a dead process is replaced; one of a live process is waited for", async () => {
  await place.append(created);
  const path = join(place.home, "views.lock");
  await takeLock(path, { self: async () => ({ ...owner, pid: 99 }), isAlive: async () => true });
  const processes = { self: async () => owner, isAlive: async ({ pid }: { pid: number }) => pid !== 99 };
  await place.publisher({ processes }).publish();
  expect(hook().position).toBe(1);

  const held = await takeLock(path, { self: async () => owner, isAlive: async () => true });
  await place.append(paused("ann"));
  let asked = 0;
  const waits = place.publisher({
    processes: {
      self: async () => owner,
      isAlive: async () => {
        asked += 1;
        if (asked === 2 && held.ok) await held.release();
        return true;
      },
    },
  });
  await waits.flush();
  expect([hook().position, asked, place.troubles]).toEqual([2, 2, []]);
});

/** What a publisher does while its lock is always another's: the one that `holderAt` names for each of its looks. */
async function publishBehind(holderAt: (look: number) => number | null): Promise<number> {
  const path = join(place.home, "views.lock");
  const held = (pid: number) => takeLock(path, { self: async () => ({ ...owner, pid }), isAlive: async () => true });
  let [lock, looks] = [await held(holderAt(1) ?? 0), 0];
  const processes = {
    self: async () => owner,
    isAlive: async () => {
      looks += 1;
      if (lock.ok) await lock.release();
      const next = holderAt(looks + 1);
      if (next !== null) lock = await held(next);
      return true;
    },
  };
  await place.publisher({ processes, retryMs: 0 }).publish();
  return looks;
}

test("F4: who waits behind many others has its turn, however many there are", async () => {
  await place.append(created);
  const looks = await publishBehind((look) => (look > 300 ? null : 1_000 + look));
  expect([looks, hook().position, place.troubles]).toEqual([300, 1, []]);
});

test.each([
  ["one that never ends", () => 7, 81],
  ["two that leave nobody else a turn", (look: number) => look % 2, 801],
])("F4: behind %s it gives up, and says who is at it", async (_what, holderAt, most) => {
  await place.append(created);
  const looks = await publishBehind(holderAt);
  expect([looks, place.troubles.map(({ message }) => message)]).toEqual([
    most,
    [
      `the views could not be brought up to date: they are still being written by process ${holderAt(most)} on ${owner.host}`,
    ],
  ]);
});

test("F4: a view that cannot be written is told once, holds nothing else up, and is caught up on later", async () => {
  mkdirSync(place.path("harness-progress.txt"));
  const publisher = place.publisher();
  await place.append(created);
  await publisher.publish();
  await place.append(paused("ann"));
  await publisher.publish();
  expect(place.troubles.map(({ kind, message }) => [kind, message.slice(0, 57)])).toEqual([
    ["env_setup", "harness-progress.txt could not be brought up to date: EIS"],
  ]);
  expect(hook().position).toBe(2);

  rmdirSync(place.path("harness-progress.txt"));
  await publisher.publish();
  expect(place.log().length).toBe(3);
  rmSync(place.path("harness-progress.txt"));
  mkdirSync(place.path("harness-progress.txt"));
  await publisher.publish();
  expect(place.troubles.length).toBe(2);
});

test("each view that fails is trouble of its own, and nothing is thrown", async () => {
  await place.append(created, added("t-1"));
  rmSync(place.root, { recursive: true });
  writeFileSync(place.root, "not a directory");
  const publisher = place.publisher();
  await publisher.publish();
  await publisher.close();
  expect(place.troubles.map(({ message }) => message.split(" ")[0]).sort()).toEqual([
    ".harness-active",
    ".harness/hook.json",
    "harness-progress.txt",
    "harness-tasks.json",
  ]);
});

/** Rights mean nothing to root, so root takes a read-only mount. Answers how to make the folder writable again. */
function makeReadOnly(folder: string): () => void {
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o555);
    return () => chmodSync(folder, 0o755);
  }
  execFileSync("mount", ["--bind", folder, folder]);
  execFileSync("mount", ["-o", "remount,ro,bind", folder]);
  return () => void execFileSync("umount", [folder]);
}

test("PR-18: a read-only directory is trouble with a remedy, not a throw", async () => {
  await place.append(created, added("t-1"));
  const makeWritable = makeReadOnly(place.root);
  const publisher = place.publisher();
  await publisher.flush();
  makeWritable();
  const remedy = "make the directory writable: what is missing is written with the next change";
  expect(new Set(place.troubles.map((failure) => failure.remedy))).toEqual(new Set([remedy]));
  await publisher.flush();
  expect(place.json("harness-tasks.json")).toEqual({ tasks: [{ id: "t-1", status: "pending" }] });
});

test("a journal that cannot be read is trouble too, and is not asked again and again", async () => {
  let asked = 0;
  const broken = async () => {
    asked += 1;
    throw new Error("the store is closed");
  };
  await place.publisher({ source: { look: broken, read: broken } }).publish();
  expect([asked, place.troubles.map(({ message }) => message)]).toEqual([
    2,
    ["harness-progress.txt", "the views"].map((name) => `${name} could not be brought up to date: the store is closed`),
  ]);
});

test("a state home that is gone is trouble, not a throw", async () => {
  await place.append(created);
  rmSync(place.home, { recursive: true });
  await place.publisher().publish();
  expect(place.troubles.map(({ message }) => message.split(":")[0])).toEqual([
    "the views could not be brought up to date",
  ]);
});

test("after close nothing is written", async () => {
  const publisher = place.publisher();
  await publisher.close();
  await place.append(created);
  await publisher.publish();
  expect(hook().position).toBe(0);
});
