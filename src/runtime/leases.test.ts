import { expect, test } from "vitest";
import { emptyState } from "../core/empty-state.ts";
import { evolve } from "../core/evolve/evolve.ts";
import type { ProcessIdentity } from "../protocol/agent.ts";
import { outsideRunId } from "../protocol/ids.ts";
import type { Lease } from "../stores/store.ts";
import type { Clock } from "./clock.ts";
import { deadRuns, goneRuns, hasLapsed, leaseFor } from "./leases.ts";

const here: ProcessIdentity = { host: "h", bootId: "b", pid: 7, group: 7, startTime: "1" };
const year = 365 * 86_400_000;

/** Wall and monotonic time apart, as a step of the clock leaves them. */
const clock = (monotonic: number, wall = 0): Clock => ({
  now: () => wall,
  monotonic: () => monotonic,
  every: () => ({ stop: () => undefined }),
});
const lease = (fields: Partial<Lease> = {}): Lease => ({ ...leaseFor("r", here, 60, clock(1_000), 5_000), ...fields });

test("L2: a lease lasts as long as was asked, by the monotonic clock and by the store's", () => {
  expect(lease()).toEqual({ run: "r", host: "h", bootId: "b", until: 61_000, expiresAt: 65_000 });
});

test.each([
  ["a year forward", year],
  ["a year back", -year],
])("PR-19: on its own host a wall clock that jumps %s neither ends nor keeps a lease", (_, jump) => {
  expect(hasLapsed(lease(), here, clock(61_000, jump), jump)).toBe(false);
  expect(hasLapsed(lease(), here, clock(61_001, jump), jump)).toBe(true);
});

test("L2: a reboot of its host ends a lease", () => {
  expect(hasLapsed(lease({ bootId: "earlier" }), here, clock(0), 0)).toBe(true);
});

test("L2: on another host the store's clock decides, whatever the monotonic clock here says", () => {
  const there = lease({ host: "other", bootId: "x" });
  expect(hasLapsed(there, here, clock(10_000_000), 65_000)).toBe(false);
  expect(hasLapsed(there, here, clock(0), 65_001)).toBe(true);
});

function runs(...started: readonly { readonly run: string; readonly owner: ProcessIdentity }[]) {
  const state = emptyState();
  const usual = { lanes: 1, initScript: false, worker: "w", claims: null, leaseSeconds: 60 };
  for (const { run, owner } of started) evolve(state, { type: "run.started", run, owner, ...usual, at: 1 });
  return state;
}
const nobody = new Set<string>();

test("L1, L2: a dead process is lost at once; a lease that ran out is lapsed; the others live", () => {
  const state = runs({ run: "dead", owner: here }, { run: "asleep", owner: here }, { run: "awake", owner: here });
  const leases = [lease({ run: "dead" }), lease({ run: "asleep", until: 1 }), lease({ run: "awake" })];
  expect(goneRuns(state, new Set(["dead"]), { leases, now: 5_000 }, here, clock(2_000))).toEqual([
    { run: "dead", how: "lost" },
    { run: "asleep", how: "lapsed" },
  ]);
});

test("L2: without a lease a run lives by its process, an outside worker not at all", () => {
  const state = runs({ run: "engine", owner: here }, { run: outsideRunId("w"), owner: here });
  expect(goneRuns(state, nobody, { leases: [], now: 0 }, here, clock(0))).toEqual([
    { run: "outside:w", how: "lapsed" },
  ]);
});

test("L1: nothing vouches for a run of another host that has no lease", () => {
  const state = runs({ run: "far", owner: { ...here, host: "other" } });
  expect(goneRuns(state, nobody, { leases: [], now: 0 }, here, clock(0))).toEqual([{ run: "far", how: "lost" }]);
});

test("L1: only processes of this host are looked for, and never that of an outside worker's verb", async () => {
  const state = runs(
    { run: "gone", owner: here },
    { run: "far", owner: { ...here, host: "other" } },
    { run: outsideRunId("w"), owner: here },
  );
  const processes = { self: async () => here, isAlive: async () => false, endGroup: async () => undefined };
  expect(await deadRuns(state, processes)).toEqual(new Set(["gone"]));
});
