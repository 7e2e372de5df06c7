import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./place.fixture.ts";
import { type Signals, signalsFolder, watchSignals } from "./signals.ts";

let place: Place;
let signals: Signals | null;
const heard: string[] = [];
beforeEach(() => {
  place = new Place();
  signals = null;
  heard.length = 0;
});
afterEach(() => {
  signals?.close();
  place.remove();
});

const never = 2 ** 31 - 1;
const file = (name: string) => join(signalsFolder(place.root), name);
function start(): Signals {
  const on = { pause: () => void heard.push("pause"), stop: () => void heard.push("stop") };
  signals = watchSignals({ root: place.root, on, pollMs: never });
  return signals;
}

test("C2: files that are there at the start count, whatever they are", async () => {
  mkdirSync(signalsFolder(place.root));
  writeFileSync(file("pause"), "");
  symlinkSync("nowhere", file("stop"));
  writeFileSync(file("resume"), "");
  await start().check();
  expect(heard).toEqual(["pause", "stop"]);
});

test("C2: each appearance is told once; nothing follows from a disappearance", async () => {
  const { check } = start();
  await check();
  writeFileSync(file("pause"), "");
  await Promise.all([check(), check(), check()]);
  expect(heard).toEqual(["pause"]);
  rmSync(file("pause"));
  await check();
  expect(heard).toEqual(["pause"]);
  writeFileSync(file("pause"), "");
  await check();
  expect(heard).toEqual(["pause", "pause"]);
});

test("C2: a new file is heard of without asking", async () => {
  const told = new Promise<string>((resolve) => {
    const on = { pause: () => resolve("pause"), stop: () => resolve("stop") };
    signals = watchSignals({ root: place.root, on, pollMs: never });
  });
  await signals?.check();
  writeFileSync(file("stop"), "");
  expect(await told).toBe("stop");
});

test("C2: where nothing can be watched, the slow look finds the file", async () => {
  rmSync(place.path(".harness"), { recursive: true });
  writeFileSync(place.path(".harness"), "in the way");
  const told = new Promise<void>((resolve) => {
    signals = watchSignals({ root: place.root, on: { pause: resolve, stop: resolve }, pollMs: 1 });
  });
  await signals?.check();
  rmSync(place.path(".harness"));
  mkdirSync(signalsFolder(place.root), { recursive: true });
  writeFileSync(file("stop"), "");
  // Nothing else keeps this process waiting: the poll must not keep one alive.
  const alive = setInterval(() => undefined, 1_000);
  await told;
  clearInterval(alive);
});

test("after close nothing is told any more", async () => {
  const { check, close } = start();
  await check();
  close();
  writeFileSync(file("stop"), "");
  await check();
  expect(heard).toEqual([]);
});
