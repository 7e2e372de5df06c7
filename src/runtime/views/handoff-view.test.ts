import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Event } from "../../protocol/event.ts";
import { added, claimed, created, opened, opening, Place, runStarted } from "./place.fixture.ts";

let place: Place;
beforeEach(async () => {
  place = new Place();
  await place.append(created, added("task-001"), added("task-002"), runStarted());
  for (const task of ["task-001", "task-002"]) await place.append(claimed(task), opening(task), opened(task));
});
afterEach(() => place.remove());

const handedOff = (task: string, phase: string): Event => ({
  ...{ type: "agent.handedOff", task, attempt: 1, iteration: 2, hash: null },
  handoff: { phase, completed: ["a"], nextStep: "b", criticalFiles: ["c"], notes: "d" },
});
const read = (...parts: readonly string[]): unknown =>
  JSON.parse(readFileSync(join(place.root, ".harness", ...parts, "handoff.json"), "utf8"));
const phaseOf = (...parts: readonly string[]): unknown => (read(...parts) as { phase: string }).phase;

test("I5: the last handoff of each task, and of the mission, is a file with the keys it was left with", async () => {
  const publisher = place.publisher();
  await place.append(handedOff("task-001", "one"), handedOff("task-002", "two"), handedOff("task-001", "three"));
  await publisher.flush();
  expect([read("tasks", "task-001"), phaseOf("tasks", "task-002"), phaseOf("state")]).toEqual([
    {
      ...{ phase: "three", completed: ["a"], next_step: "b", critical_files: ["c"], memory_notes: "d" },
      ...{ task: "task-001", attempt: 1, iteration: 2, at: "1970-01-01T00:00:00.013Z" },
    },
    "two",
    "three",
  ]);
  await publisher.close();
});

test("I5: one that was taken away comes back with the next handoff, by whichever process", async () => {
  const first = place.publisher();
  await place.append(handedOff("task-001", "one"));
  await first.flush();
  rmSync(join(place.root, ".harness/state"), { recursive: true });
  const second = place.publisher();
  await second.flush();
  expect(() => read("state")).toThrow("ENOENT");
  await place.append(handedOff("task-002", "two"));
  await second.flush();
  await first.flush();
  expect([phaseOf("state"), phaseOf("tasks", "task-001"), place.troubles]).toEqual(["two", "one", []]);
  await first.close();
  await second.close();
});

test.for(["tasks", "tasks/task-001", "state"])("I5: through a link in place of %s nothing is written", async (part) => {
  const elsewhere = join(place.folder, "elsewhere");
  mkdirSync(elsewhere);
  mkdirSync(join(place.root, ".harness", part, ".."), { recursive: true });
  symlinkSync(elsewhere, join(place.root, ".harness", part));
  const publisher = place.publisher();
  await place.append(handedOff("task-001", "one"));
  await publisher.flush();
  expect([readdirSync(elsewhere), place.troubles.length]).toEqual([[], 1]);
  rmSync(join(place.root, ".harness", part));
  await publisher.flush();
  expect([phaseOf("state"), phaseOf("tasks", "task-001")]).toEqual(["one", "one"]);
  await publisher.close();
});
