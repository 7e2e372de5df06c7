import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { holderOf, releasePidFile, takePidFile } from "./pid-file.ts";

const folder = mkdtempSync(join(tmpdir(), "pid-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("L1, C1: a pid file is taken once, names its process, and is released by that one only", async () => {
  const path = join(folder, "own");
  expect([await holderOf(path), await takePidFile(path), readFileSync(path, "utf8")]).toEqual([
    null,
    null,
    `${process.pid}\n`,
  ]);
  expect([await holderOf(path), await takePidFile(path)]).toEqual([process.pid, process.pid]);
  releasePidFile(path);
  expect(existsSync(path)).toBe(false);
  const child = spawn("sleep", ["1000"]);
  writeFileSync(path, `${child.pid}\n`);
  releasePidFile(path);
  expect([await takePidFile(path), await holderOf(path)]).toEqual([child.pid, child.pid]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect([await takePidFile(path), await holderOf(path)]).toEqual([null, process.pid]);
});

test.for([
  ["a process that began later", `${process.pid}\n`],
  ["nothing", ""],
  ["no pid", "-1\n"],
  ["init, written before it began", "1\n"],
] as const)("C1: a file that names %s is nobody's", async ([name, text]) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  utimesSync(path, 1_000, 1_000);
  expect([await holderOf(path), await takePidFile(path)]).toEqual([null, null]);
});

test("C1: a folder in its place is nobody's either", async () => {
  const path = join(folder, "folder");
  mkdirSync(join(path, "in it"), { recursive: true });
  expect(await takePidFile(path)).toBe(null);
});
