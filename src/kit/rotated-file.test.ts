import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRotatedFile } from "./rotated-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rotated-file-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const read = (name: string) => readFileSync(join(folder, name), "utf8");

test("the newest part is kept, cut between texts, and both parts together stay within the limit", async () => {
  const file = createRotatedFile({ path: join(folder, "a/log"), maxBytes: 20 });
  for (const text of ["one\n", "two\n", "three\n", "four\n", "five\n"]) await file.write(text);
  expect([read("a/log.1"), read("a/log"), file.size()]).toEqual(["three\n", "four\nfive\n", 16]);
  await file.close();
});

test("a text longer than the file comes through in pieces, and its end is kept", async () => {
  const file = createRotatedFile({ path: join(folder, "log"), maxBytes: 20 });
  await file.write(`${"0123456789".repeat(3)}abc`);
  expect([read("log.1"), read("log")]).toEqual(["0123456789", "abc"]);
  await file.close();
});

test("writes that do not wait for each other stay in order", async () => {
  const file = createRotatedFile({ path: join(folder, "log"), maxBytes: 100_000 });
  const texts = Array.from({ length: 200 }, (_, n) => `${n}\n`);
  await Promise.all(texts.map((text) => file.write(text)));
  await file.close();
  expect(read("log")).toBe(texts.join(""));
});

test("only its owner may read it, nothing is made before the first text, and one that is there is gone on with", async () => {
  const path = join(folder, "a/log");
  const silent = createRotatedFile({ path, maxBytes: 100 });
  await silent.close();
  expect(() => statSync(join(folder, "a"))).toThrow("ENOENT");
  for (const text of ["first\n", "second\n"]) {
    const file = createRotatedFile({ path, maxBytes: 100 });
    await file.write(text);
    await file.close();
  }
  expect([read("a/log"), statSync(path).mode & 0o777, statSync(join(folder, "a")).mode & 0o777]).toEqual([
    "first\nsecond\n",
    0o600,
    0o700,
  ]);
});

test("what somebody put in its place is not followed; the error is told once, and then nothing more is tried", async () => {
  writeFileSync(join(folder, "victim"), "mine");
  symlinkSync(join(folder, "victim"), join(folder, "log"));
  const file = createRotatedFile({ path: join(folder, "log"), maxBytes: 100 });
  await expect(file.write("x")).rejects.toThrow("ELOOP");
  await file.write("y");
  await file.close();
  expect(read("victim")).toBe("mine");
});
