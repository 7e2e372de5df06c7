import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "make-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("makes what is missing, with its mode, and leaves what is there", async () => {
  const folder = place();
  mkdirSync(join(folder, "a"), { mode: 0o755 });
  await Promise.all([makeFolder(join(folder, "a/b/c"), 0o700), makeFolder(join(folder, "a/b/c"), 0o700)]);
  await makeFolder(join(folder, "a"), 0o700);
  expect(["a", "a/b", "a/b/c"].map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o755, 0o700, 0o700]);
});

test("PR-18: what stands in the way is named with its cause", async () => {
  const folder = place();
  writeFileSync(join(folder, "file"), "");
  symlinkSync("nowhere", join(folder, "link"));
  await expect(makeFolder(join(folder, "file"))).rejects.toThrow(`EEXIST: file already exists, mkdir '${folder}/file'`);
  await expect(makeFolder(join(folder, "file/a"))).rejects.toThrow(
    `ENOTDIR: not a directory, mkdir '${folder}/file/a'`,
  );
  await expect(makeFolder(join(folder, "link"))).rejects.toThrow("ENOENT: no such file or directory, stat");
});
