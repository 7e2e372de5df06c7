import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { emptyState } from "../../src/core/empty-state.ts";
import { fold } from "../../src/core/evolve/evolve.ts";
import { recoveryTable } from "../../src/core/recovery.ts";
import { remedies } from "../../src/core/remedies.ts";
import { readSnapshot, writeSnapshot } from "../../src/core/snapshot.ts";
import { decodeEvent, encodeEvent, NewerJournalError } from "../../src/protocol/upgrade.ts";
import { Scene } from "./scene.ts";

const story = (): Scene => {
  const scene = new Scene([{ maxAttempts: 2 }, { dependsOn: ["task-001"] }, {}]);
  scene.start(2);
  scene.failOnce("task-001");
  scene.start(2);
  return scene;
};
const recorded = (scene: Scene) => scene.events.map((event) => decodeEvent(encodeEvent(event, 1_000)));

test("PR-23: folding a recorded journal gives the live state, whatever the policy has become since", () => {
  const scene = story();
  const journal = recorded(scene);
  const before = writeSnapshot(fold(emptyState(), journal));
  // A later version that remedies and recovers everything differently.
  const kept = structuredClone(remedies.test_fail);
  Object.assign(remedies.test_fail, { charge: false, next: "give-up" });
  Object.assign(recoveryTable.changes, { next: "fail" });
  try {
    const after = writeSnapshot(fold(emptyState(), journal));
    expect(after).toBe(before);
    // And yet the policy did change: the same inputs now decide differently.
    expect(story().all("task.failed")).not.toEqual(scene.all("task.failed"));
  } finally {
    Object.assign(remedies.test_fail, kept);
    Object.assign(recoveryTable.changes, { next: "validate" });
  }
});

test("PR-23: the fold cannot reach the policy: nothing under evolve imports decide, remedies or recovery", () => {
  for (const file of ["evolve", "attempt", "effect", "mission", "plan-index", "task"]) {
    const source = readFileSync(new URL(`../../src/core/evolve/${file}.ts`, import.meta.url), "utf8");
    expect(source).not.toMatch(/from "[^"]*(decide|remedies|recovery|brief)/);
  }
});

test("a restored snapshot goes on like the state it was made of", () => {
  const scene = story();
  const restored = readSnapshot(writeSnapshot(scene.state));
  expect(restored).not.toBeNull();
  if (restored === null) return;
  expect(restored.ready.peek()).toBe(scene.state.ready.peek());
  expect([...restored.working]).toEqual([...scene.state.working]);
  expect(restored.counts).toEqual(scene.state.counts);
  expect(writeSnapshot(restored)).toBe(writeSnapshot(scene.state));
});

test("PR-21: a snapshot of another format is not used", () => {
  expect(readSnapshot('{"format":0}')).toBeNull();
});

test("PR-21: an event of an older version is lifted step by step, a newer or unknown one is refused", () => {
  const kept = { at: 1, type: "mission.paused", v: 1, body: '{"who":"me"}' };
  const table = {
    "mission.paused": [
      ({ who }: Record<string, unknown>) => ({ person: who }),
      ({ person }: Record<string, unknown>) => ({ by: person }),
    ],
  };
  expect(decodeEvent(kept, table)).toEqual({ type: "mission.paused", at: 1, by: "me" });
  expect(() => decodeEvent({ ...kept, v: 2 })).toThrow(NewerJournalError);
  expect(() => decodeEvent({ ...kept, type: "mission.teleported" })).toThrow(/newer Harness/);
});
