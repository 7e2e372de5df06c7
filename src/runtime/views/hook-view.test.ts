import { afterEach, beforeEach, expect, test } from "vitest";
import { type HookFacts, maxHookBytes, renderHook } from "./hook-view.ts";
import { added, claimed, created, failed, opening, Place, runStarted } from "./place.fixture.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

const render = (lastStats: string | null = null): Promise<string> =>
  place.source().look((state) => renderHook(state, lastStats)({ size: 12, mtimeMs: 34.5 }));

test("H: a hook finds counts, the next task, the last STATS, the limits and who works on what", async () => {
  await place.append(created, added("t-1"), added("t-2"), added("t-3"), runStarted());
  await place.append({ type: "session.started", session: 1 }, claimed("t-1"), opening("t-1"));
  await place.append(claimed("t-2"), failed("t-2", true));
  expect(JSON.parse(await render("STATS tasks_total=3"))).toEqual({
    v: 1,
    mission: "m-1",
    position: 10,
    counts: { blocked: 0, completed: 0, failed: 1, in_progress: 1, pending: 1 },
    total: 3,
    next: { id: "t-3", title: "Title of t-3" },
    workLeft: true,
    lastStats: "STATS tasks_total=3",
    limits: {
      sessions: 1,
      maxSessions: 50,
      sessionsUsedUp: false,
      settled: 1,
      maxTasksPerSession: 20,
      sessionFull: false,
    },
    inProgress: [{ task: "t-1", owner: "h:7" }],
    inProgressLeftOff: 0,
    tasksFile: { size: 12, mtimeMs: 34.5 },
  });
});

test("H: without a run nobody owns what is under way; without a plan there is nothing to say", async () => {
  const empty = JSON.parse(await render()) as HookFacts;
  expect([empty.mission, empty.next, empty.workLeft, empty.total]).toEqual([null, null, false, 0]);
  await place.append(created, added("t-1"), claimed("t-1"));
  expect((JSON.parse(await render()) as HookFacts).inProgress).toEqual([{ task: "t-1", owner: null }]);
});

test("hook.json stays within 8 KB at 10,000 tasks in progress with long names and titles", async () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => `${"x".repeat(58)}-${n}`);
  const owner = { host: "ä".repeat(255), bootId: "b", pid: 4_194_304, group: 7, startTime: "1" };
  await place.append(created, {
    type: "run.started",
    run: "r",
    owner,
    lanes: 64,
    initScript: false,
    worker: null,
    claims: null,
    leaseSeconds: null,
  });
  await place.append(
    ...ids.map((id) => added(id, "\u{1f600}".repeat(250))),
    ...ids.slice(1).flatMap((id) => [claimed(id), opening(id, "r")]),
  );
  const text = await render("STATS");
  const facts = JSON.parse(text) as HookFacts;
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxHookBytes);
  expect(facts.inProgress.length).toBeGreaterThan(20);
  expect(facts.inProgress.length + facts.inProgressLeftOff).toBe(9_999);
});

test("at most 64 owners are named", async () => {
  const ids = Array.from({ length: 70 }, (_, n) => `t-${n}`);
  await place.append(created, ...ids.map((id) => added(id)), ...ids.map((id) => claimed(id)));
  const facts = JSON.parse(await render()) as HookFacts;
  expect([facts.inProgress.length, facts.inProgressLeftOff]).toEqual([64, 6]);
});
