import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processesInside } from "./processes-inside.ts";

let directory: string;
beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "inside-")));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("a process that works in a directory is seen there and in what is above it, not beside it", async () => {
  const [deep, beside] = [join(directory, "a/b"), join(directory, "a/bb")];
  await mkdir(deep, { recursive: true });
  await mkdir(beside);
  const child = spawn("cat", [], { cwd: deep, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write("x");
  await once(child.stdout, "data");
  const seen = await Promise.all([deep, directory, beside].map(processesInside));
  child.stdin.end();
  await once(child, "close");
  expect(seen).toEqual([[child.pid], [child.pid], []]);
  expect(await processesInside(deep)).toEqual([]);
});

test("an open file counts as well", async () => {
  const file = await open(join(directory, "open.txt"), "w");
  const seen = await processesInside(directory);
  await file.close();
  expect(seen).toEqual([process.pid]);
});
