// Random places: rescued, removed, restored, and compared byte by byte (A6, PR-3).
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rescue } from "./keep.ts";
import { restore } from "./restore.ts";
import { gitStates, lookAt, makeScene, objectsIn, plainGit, type Scene } from "./scene.fixture.ts";
import { listPutAway } from "./shelf.ts";

const runs = process.env.HARNESS_CHAOS === undefined ? 500 : 5_000;
let scene: Scene;
beforeAll(async () => {
  scene = await makeScene();
});
afterAll(() => scene.dispose());

const names = [
  "a",
  "one.txt",
  "ü",
  "line\nbreak",
  " ",
  "-dash",
  '"quoted"',
  "\\back",
  ":(top)",
  "CON",
  "git~1",
  "x.log",
].map((name) => Buffer.from(name));
const name = fc.constantFrom(
  ...names,
  Buffer.from([0x66, 0xfc, 0x72]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from(".env"),
  Buffer.from("key.pem"),
);
const folder = fc.constantFrom("", "src", "src/deep", "build", "build/deep", "new/er", "tool.sh", "vendored");
const content = fc.oneof(
  fc
    .constantFrom("", "a\r\nb\r\n", "* text=auto eol=lf\n", "$Id$\n", "\0", `token ghp_${"a".repeat(36)}\n`)
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
);
const thing = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("file" as const),
      content,
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o444, 0o4755, 0o000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("link" as const),
      target: fc.constantFrom("one.txt", "../..", "/etc/passwd", "gone", "ü"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("folder" as const), mode: fc.constantFrom(0o755, 0o700, 0o555, 0o1777) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("sparse" as const), size: fc.integer({ min: 1, max: 12_000_000 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "repository" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "empty repository" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "removal" as const }) },
);
type Thing = typeof thing extends fc.Arbitrary<infer T> ? T : never;
const tree = fc.record({
  state: fc.constantFrom(...Object.keys(gitStates)),
  things: fc.array(fc.record({ folder, name, thing }), { maxLength: 8 }),
  attributes: fc.boolean(),
  pipe: fc.nat({ max: 19 }).map((n) => n === 0),
});

function make(work: string, at: { readonly folder: string; readonly name: Buffer; readonly thing: Thing }): void {
  const directory = join(work, at.folder);
  const path = Buffer.concat([Buffer.from(`${directory}/`), at.name]);
  const { thing: one } = at;
  rmSync(path, { recursive: true, force: true });
  if (one.kind === "removal") return;
  mkdirSync(directory, { recursive: true });
  if (one.kind === "file") writeFileSync(path, one.content);
  if (one.kind === "file") chmodSync(path, one.mode);
  if (one.kind === "link") symlinkSync(one.target, path);
  if (one.kind === "folder") mkdirSync(path);
  if (one.kind === "folder") chmodSync(path, one.mode);
  if (one.kind === "sparse") {
    writeFileSync(path, "begin");
    truncateSync(path, one.size + 5);
    writeFileSync(path, "end", { flag: "a" });
  }
  if (one.kind === "repository" || one.kind === "empty repository") {
    mkdirSync(Buffer.concat([path, Buffer.from("/.git/refs/heads")]), { recursive: true });
    mkdirSync(Buffer.concat([path, Buffer.from("/.git/objects")]), { recursive: true });
    writeFileSync(Buffer.concat([path, Buffer.from("/.git/HEAD")]), "ref: refs/heads/main\n");
    writeFileSync(Buffer.concat([path, Buffer.from("/inner.txt")]), "inner\n");
    const head = `${scene.site.user.format === "sha1" ? "1".repeat(40) : "1".repeat(64)}\n`;
    if (one.kind === "repository") writeFileSync(Buffer.concat([path, Buffer.from("/.git/refs/heads/main")]), head);
  }
}

/** A file where a directory would have to be is no tree at all. */
const makeIfItCanBe = (work: string, at: Parameters<typeof make>[1]): void => {
  try {
    make(work, at);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!["ENOTDIR", "EEXIST", "EISDIR", "EACCES"].includes(code)) throw error;
  }
};

let count = 0;

test(`A6, PR-3: ${runs} random places are restored byte for byte, with all their objects, and nothing in them changed`, async () => {
  const states = new Set<string>();
  await fc.assert(
    fc.asyncProperty(tree, async ({ state, things, attributes, pipe }) => {
      count += 1;
      states.add(state);
      const request = scene.place(state, `task-${count}`);
      const { work } = request.at;
      for (const at of things) makeIfItCanBe(work, at);
      if (attributes) writeFileSync(join(work, ".gitattributes"), "* text=auto eol=crlf\n*.txt filter=x ident\n");
      if (pipe) execFileSync("mkfifo", [join(work, "pipe")]);
      const before = lookAt(work);
      const objects = objectsIn(work);
      const name = await rescue(scene.site, request);
      expect(lookAt(work)).toEqual(before);
      execFileSync("rm", ["-rf", work]);
      const of = listPutAway(scene.site.home).find((one) => one.name === name);
      if (of === undefined) throw new Error(`${name} is not listed`);
      const { left } = await restore(scene.site.home, of, work);
      expect(lookAt(work)).toEqual(new Map([...before].filter(([path]) => !left.includes(path))));
      expect(left).toEqual([...before].flatMap(([path, what]) => (what === "special" ? [path] : [])));
      refuseMissing(work, state, objects);
      execFileSync("rm", ["-rf", work]);
    }),
    { numRuns: runs, ...(process.env.HARNESS_SEED && { seed: Number(process.env.HARNESS_SEED) }) },
  );
  expect(states.size).toBe(Object.keys(gitStates).length);
  expect(plainGit(scene.directory, `--git-dir=${join(scene.site.home, "rescue.git")}`, "fsck", "--no-dangling")).toBe(
    "",
  );
}, 1_800_000);

function refuseMissing(work: string, state: string, objects: readonly string[]): void {
  if (objects.length > 0) {
    const input = objects.map((id) => `${id}\n`).join("");
    const checked = execFileSync("git", ["cat-file", "--batch-check"], {
      cwd: work,
      input,
      encoding: "utf8",
      env: { PATH: process.env.PATH, GIT_DIR: broken(state) ? join(scene.site.home, "rescue.git") : ".git" },
    });
    expect(checked).not.toContain("missing");
  }
  if (!broken(state)) expect(plainGit(work, "fsck", "--no-dangling", "--no-progress")).toBe("");
}
const broken = (state: string): boolean => state === "a broken git directory" || state === "no git directory";
