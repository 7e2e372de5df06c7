// What an agent or a test may do to files that a set-up made, and that each of it is noticed (PR-9).
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fingerprintOf, isAsMade } from "./fingerprint.ts";

let top = "";
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "fingerprint-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const roots = ["node_modules", "a/.env"];
const files = ["node_modules/x/index.js", "node_modules/x/y/deep.js", "node_modules/.bin/x", "a/.env"];
const outside = () => join(top, "outside/precious");
const put = (file: string, text: string) => {
  mkdirSync(dirname(join(top, file)), { recursive: true });
  writeFileSync(join(top, file), text);
};
function make(): void {
  rmSync(top, { recursive: true, force: true });
  for (const file of [...files, "outside/precious"]) put(file, "text\n");
  symlinkSync("../x/index.js", join(top, "node_modules/.bin/link"));
}
/** Everything there is, to compare. */
const all = (folder = top): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...all(path)] : [`${path} ${entry.isFile() ? readFileSync(path) : "link"}`];
  });

type Deed = (path: string, file: string) => void;
const changes: Readonly<Record<string, Deed>> = {
  "other text of the same length, with its old time": (path) => {
    const { atime, mtime } = lstatSync(path);
    writeFileSync(path, "evil\n");
    utimesSync(path, atime, mtime);
  },
  "no file": (path) => rmSync(path),
  "another mode": (path) => chmodSync(path, 0o755),
  "a copy with the same text": (path) => {
    writeFileSync(`${path}.new`, "text\n");
    renameSync(`${path}.new`, path);
  },
  "a link to elsewhere": (path) => {
    rmSync(path);
    symlinkSync(outside(), path);
  },
  "a directory": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  "a directory above it that is a link": (path) => {
    renameSync(dirname(path), `${dirname(path)}-moved`);
    symlinkSync(`${dirname(path)}-moved`, dirname(path));
  },
};

test("PR-9: whatever is done to a file that was made, it is not as it was made any more", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), fc.constantFrom(...Object.keys(changes)), async (file, what) => {
      make();
      const made = await fingerprintOf(top, roots);
      if (made === null) throw new Error("no fingerprint");
      expect(await isAsMade(top, { roots, made, added: "look" })).toBe(true);
      changes[what]?.(join(top, file), file);
      expect([file, what, await isAsMade(top, { roots, made, added: "remove" })]).toEqual([file, what, false]);
      expect(readFileSync(outside(), "utf8")).toBe("text\n");
    }),
    { numRuns: 60 },
  );
});

test("PR-9: what was added is removed, whatever it is and however deep; the rest stays as it was made", async () => {
  const place = fc.constantFrom("node_modules", "node_modules/x", "node_modules/x/y", "node_modules/.bin");
  const kind = fc.constantFrom("file", "tree", "link", "link to a tree", "hard link");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(place, kind), { minLength: 1, maxLength: 5 }), async (additions) => {
      make();
      const made = await fingerprintOf(top, roots);
      if (made === null) throw new Error("no fingerprint");
      const before = all();
      additions.forEach(([folder, what], n) => {
        const path = join(top, folder, `added-${n}`);
        if (what === "file") writeFileSync(path, "x");
        if (what === "tree") put(`${folder}/added-${n}/deep/er`, "x");
        if (what === "link") symlinkSync(outside(), path);
        if (what === "link to a tree") symlinkSync(dirname(outside()), path);
        if (what === "hard link") linkSync(outside(), path);
      });
      expect(await isAsMade(top, { roots, made, added: "look" })).toBe(false);
      expect(await isAsMade(top, { roots, made, added: "remove" })).toBe(true);
      expect(all()).toEqual(before);
    }),
    { numRuns: 60 },
  );
});

test("A1: roots may be moved away and back, and hard links be linked again: they are as they were made", async () => {
  make();
  linkSync(join(top, "node_modules/x/index.js"), join(top, "outside/store"));
  const made = await fingerprintOf(top, roots);
  if (made === null) throw new Error("no fingerprint");
  for (const root of roots) {
    renameSync(join(top, root), join(top, "outside/aside"));
    renameSync(join(top, "outside/aside"), join(top, root));
  }
  linkSync(join(top, "outside/store"), join(top, "outside/store-2"));
  expect(await isAsMade(top, { roots, made, added: "look" })).toBe(true);
  writeFileSync(join(top, "outside/store"), "evil\n");
  expect(await isAsMade(top, { roots, made, added: "look" })).toBe(false);
});

test("A1: what lies behind a link, or outside, has no fingerprint", async () => {
  make();
  symlinkSync("node_modules", join(top, "linked"));
  for (const root of ["linked/x", "../x", "a/../a/.env", "nowhere", ""])
    expect([root, await fingerprintOf(top, [root])]).toEqual([root, null]);
});
