// Real processes on one root: the fixture, bundled because the oldest Node cannot run TypeScript.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Place } from "./place.fixture.ts";

const built = new Place();
const program = join(built.folder, "publishing.mjs");
const running = new Set<ChildProcess>();
let place: Place;

beforeAll(() => {
  const bundler = createRequire(import.meta.url).resolve("esbuild/bin/esbuild");
  const entry = fileURLToPath(new URL("./publishing.fixture.ts", import.meta.url));
  const options = ["--bundle", "--platform=node", "--format=esm", "--log-level=warning"];
  execFileSync(bundler, [entry, `--outfile=${program}`, ...options]);
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  built.remove();
});
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

const count = 60;

/** Ends with the process; kills it as soon as it has printed `killAfter` lines. */
async function publish(killAfter = Number.POSITIVE_INFINITY): Promise<{ stderr: string; end: number | string | null }> {
  const args = [program, place.root, place.home, String(count)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const ended = new Promise<number | string | null>((resolve) => {
    child.on("close", (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  const stderr = text(child.stderr);
  let lines = 0;
  createInterface({ input: child.stdout }).on("line", () => {
    lines += 1;
    if (lines === killAfter) child.kill("SIGKILL");
  });
  return { end: await ended, stderr: await stderr };
}

const expected = [
  "[SESSION-1] INIT Harness initialized for project /p",
  ...Array.from({ length: count / 2 }, (_, n) => `[SESSION-1] WARN paused by p-${2 * n + 1}`),
];

test("N1: three processes publish at once: every line once, in order, and no trouble", async () => {
  const ends = await Promise.all([publish(), publish(), publish()]);
  expect(ends).toEqual(ends.map(() => ({ end: 0, stderr: "" })));
  expect(place.log()).toEqual([...expected, ""]);
  expect((place.json("harness-tasks.json") as { tasks: unknown[] }).tasks.length).toBe(count / 2);
  expect(readdirSync(place.home)).toEqual(["views.json"]);
}, 60_000);

test("N1: whoever is killed in whatever step, the others go on: no line is lost or doubled", async () => {
  // Each is killed a little later than the one before, wherever it is by then; the last one lives.
  for (let killAfter = 1; killAfter < count; killAfter += 4) expect((await publish(killAfter)).stderr).toBe("");
  const ends = [...(await Promise.all([publish(10), publish(25), publish(40)])), await publish()];
  expect(ends.map(({ stderr }) => stderr)).toEqual(["", "", "", ""]);
  const whole = place.log().filter((line) => expected.includes(line));
  expect(whole).toEqual(expected);
  expect((place.json("harness-tasks.json") as { tasks: unknown[] }).tasks.length).toBe(count / 2);
}, 60_000);
