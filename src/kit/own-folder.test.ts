import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeOwnFolder } from "./own-folder.ts";

let parent = "";
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "own-folder-"));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

test("PR-18: what dead processes left goes; what live ones, other machines and others have stays", async () => {
  const first = basename(await makeOwnFolder(parent, "a"));
  const { pid: dead } = spawnSync("true");
  const ofDead = first.replace(`-${process.pid}-`, `-${dead}-`);
  const strangers = [`a-00000000-${dead}-x`, `b-${ofDead}`, "a-", "notes"];
  for (const name of [ofDead, ...strangers]) mkdirSync(join(parent, name));
  const second = basename(await makeOwnFolder(parent, "a"));
  expect(readdirSync(parent).sort()).toEqual([first, second, ...strangers].sort());
});

test("PR-18: a number that was given anew does not keep what its first owner left", async () => {
  const left = await makeOwnFolder(parent, "a");
  utimesSync(left, 1, 1);
  const next = await makeOwnFolder(parent, "a");
  expect(readdirSync(parent)).toEqual([basename(next)]);
});
