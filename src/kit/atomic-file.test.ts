import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeFileAtomic } from "./atomic-file.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-file-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test("writes text and bytes, for the owner only unless told otherwise, and leaves no other file", async () => {
  await writeFileAtomic(join(folder, "a"), "text");
  await writeFileAtomic(join(folder, "b"), new Uint8Array([1, 2]), { mode: 0o666 });
  expect(await readFile(join(folder, "a"), "utf8")).toBe("text");
  expect([...(await readFile(join(folder, "b")))]).toEqual([1, 2]);
  expect([await modeOf(join(folder, "a")), await modeOf(join(folder, "b"))]).toEqual([0o600, 0o666]);
  expect(await readdir(folder)).toEqual(["a", "b"]);
});

test("a link is replaced, not followed", async () => {
  await writeFile(join(folder, "target"), "untouched");
  await symlink(join(folder, "target"), join(folder, "link"));
  await writeFileAtomic(join(folder, "link"), "new");
  expect(await readFile(join(folder, "target"), "utf8")).toBe("untouched");
  expect(await readFile(join(folder, "link"), "utf8")).toBe("new");
});

test("on failure the old content stands and nothing is left behind", async () => {
  await mkdir(join(folder, "taken"));
  await writeFile(join(folder, "taken", "inside"), "");
  await expect(writeFileAtomic(join(folder, "taken"), "x")).rejects.toThrow();
  await expect(writeFileAtomic(join(folder, "no", "such"), "x")).rejects.toThrow("ENOENT");
  expect(await readdir(folder)).toEqual(["taken"]);
});

test("writers at the same time leave one whole content", async () => {
  const path = join(folder, "shared");
  const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
  await Promise.all(contents.map((content) => writeFileAtomic(path, content)));
  expect(contents).toContain(await readFile(path, "utf8"));
  expect(await readdir(folder)).toEqual(["shared"]);
  await chmod(path, 0o600);
});
