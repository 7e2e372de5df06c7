import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answer } from "../refusal.ts";
import { drop } from "./drop.ts";
import { rescue } from "./keep.ts";
import { filesOf, restorePutAway } from "./look.ts";
import type { RescueRequest } from "./place.ts";
import { lookAt, makeScene, plainGit, put, type Scene } from "./scene.fixture.ts";
import { listPutAway, type PutAway, readManifest } from "./shelf.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let scene: Scene;
let request: RescueRequest;
beforeEach(async () => {
  scene = await makeScene();
  request = scene.place("staged only", "task-1");
});
afterEach(() => scene.dispose());

const inRescues = (...args: readonly string[]): string =>
  plainGit(scene.directory, `--git-dir=${join(scene.site.home, "rescue.git")}`, ...args).trimEnd();
const putAway = (name: string): PutAway => {
  const found = listPutAway(scene.site.home).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not there`);
  return found;
};
const keptIn = (name: string): Record<string, string> => {
  const of = putAway(name);
  if (of.kind === "archive") throw new Error(`${name} was kept whole`);
  return Object.fromEntries(readManifest(of).entries.map(({ path, kept }) => [path, kept.in]));
};
const refusalOf = async (wanted = request): Promise<string> => {
  const outcome = await answer(() => rescue(scene.site, wanted));
  return outcome.ok ? "rescued" : outcome.failure.message;
};

test("A6: the work is a commit on the base, under a reference of its name, in a repository that needs no other", async () => {
  put(request.at.work, "new.txt", "a\r\n");
  put(request.at.work, ".gitattributes", "* text=auto eol=lf\n");
  expect(await rescue(scene.site, request)).toBe("task-1/1");
  expect(inRescues("for-each-ref", "--format=%(refname)")).toBe("refs/harness/rescue/task-1/1");
  expect(inRescues("rev-parse", "refs/harness/rescue/task-1/1^1")).toBe(request.base);
  expect(inRescues("cat-file", "-s", "refs/harness/rescue/task-1/1:new.txt")).toBe("3");
  expect(existsSync(join(scene.site.home, "rescue.git/objects/info/alternates"))).toBe(false);
  rmSync(scene.site.user.objectsDir, { recursive: true });
  expect(inRescues("fsck", "--no-dangling")).toBe("");
  expect(inRescues("rev-list", "--count", "refs/harness/rescue/task-1/1")).toBe("3");
});

test("A6: ignored and secret-looking files are in the vault, readable by nobody else, and not in the repository", async () => {
  const token = `ghp_${"k".repeat(36)}`;
  put(request.at.work, ".env", "A=1\n");
  put(request.at.work, "deep/server.pem", "key\n");
  put(request.at.work, "notes.md", `use ${token}\n`);
  put(request.at.work, "build/out.o", "ignored\n");
  put(request.at.work, "plain.md", "plain\n");
  const name = await rescue(scene.site, request);
  const kept = keptIn(name);
  const files = [".env", "deep/server.pem", "notes.md", "build/out.o", ".git/HEAD", "plain.md", "one.txt"];
  expect(files.map((file) => kept[file])).toEqual(["vault", "vault", "vault", "vault", "vault", "git", "git"]);
  const tracked = inRescues("ls-tree", "-r", "--name-only", `refs/harness/rescue/${name}`).split("\n");
  expect(tracked.filter((file) => files.includes(file))).toEqual(["one.txt", "plain.md"]);
  const all = inRescues("cat-file", "--batch-all-objects", "--batch", "--unordered");
  expect([all.includes(token), all.includes("A=1"), all.includes("plain")]).toEqual([false, false, true]);
  const { where } = putAway(name);
  const modes = [where, ...readdirSync(where).map((file) => join(where, file))].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
});

test("A6: what the declared set-up made is exempt, and kept as soon as something of it is tracked", async () => {
  put(request.at.work, "build/cache/made.o");
  put(request.at.work, "kept/work.txt");
  put(request.at.work, "kept/ignored.log");
  plainGit(request.at.work, "add", "kept/work.txt");
  put(request.at.work, "made/tool.txt");
  const name = await rescue(scene.site, { ...request, exempt: ["build/cache", "kept/", "made"] });
  const paths = Object.keys(keptIn(name));
  const wanted = [
    "build",
    "made",
    "made/tool.txt",
    "build/cache",
    "build/cache/made.o",
    "kept/work.txt",
    "kept/ignored.log",
  ];
  expect(wanted.filter((path) => paths.includes(path))).toEqual(["build", "kept/work.txt", "kept/ignored.log"]);
});

test("A6: a second rescue copies only what is new", async () => {
  const packed = () =>
    readdirSync(join(scene.site.home, "rescue.git/objects/pack")).filter((file) => file.endsWith(".idx"));
  await rescue(scene.site, request);
  const first = packed();
  put(request.at.work, "one.txt", "changed\n");
  expect(await rescue(scene.site, request)).toBe("task-1/1-2");
  const [added = ""] = packed().filter((file) => !first.includes(file));
  const listed = inRescues("verify-pack", "-v", join(scene.site.home, "rescue.git/objects/pack", added));
  const kinds = listed.match(/ (blob|tree|commit) /g)?.map((kind) => kind.trim()) ?? [];
  // The file, the tree above it, and the commits.
  expect(kinds.filter((kind) => kind !== "commit").sort()).toEqual(["blob", "tree"]);
});

test("A6: the same place is rescued once: the repeat reads it back and answers the same", async () => {
  const first = await rescue(scene.site, request);
  expect(await rescue(scene.site, request)).toBe(first);
  expect(listPutAway(scene.site.home)).toHaveLength(1);
  const [bytes = ""] = readdirSync(putAway(first).where).filter((file) => file === "bytes");
  truncateSync(join(putAway(first).where, bytes), 3);
  expect(await refusalOf()).toMatch(/^\.git.* cannot be rescued: .*ends too early$/);
});

test("A6: a rescue is read back: bytes that are not there again are named", async () => {
  await rescue(scene.site, request);
  const packs = join(scene.site.home, "rescue.git/objects/pack");
  const [pack = ""] = readdirSync(packs).filter((file) => file.endsWith(".pack"));
  const bytes = readFileSync(join(packs, pack));
  chmodSync(join(packs, pack), 0o600);
  // Its index still names every object.
  writeFileSync(join(packs, pack), bytes.fill(0x55, 200, bytes.length - 20));
  expect(await refusalOf()).toMatch(/^\S+ cannot be rescued: its copy in the repository is not the same$/);
  put(request.at.work, "more.txt");
  expect(await refusalOf()).not.toBe("rescued");
  expect(listPutAway(scene.site.home).map(({ name }) => name)).toEqual(["task-1/1"]);
});

test("A6: a git that says it stored everything, and did not, is found out before anything is discarded", async () => {
  await rescue(scene.site, scene.place("untouched", "task-0"));
  put(request.at.work, "work.txt", "precious\n");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  put(scene.directory, "bin/git", `#!/bin/sh\ncase "$*" in *index-pack*) exit 0;; esac\nexec '${real}' "$@"\n`);
  chmodSync(join(scene.directory, "bin/git"), 0o755);
  vi.stubEnv("PATH", `${join(scene.directory, "bin")}:${process.env.PATH}`);
  try {
    expect(await refusalOf()).toMatch(/^the rescue repository \S+ lacks/);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(listPutAway(scene.site.home).map(({ name }) => name)).toEqual(["task-0/1"]);
});

/** At every look: at the start, in the middle, and once more when all is written. */
function whenLooked(change: (look: number) => void) {
  const counter = { reads: 0 };
  return new Proxy(request, {
    get(target, key) {
      if (key === "exempt") {
        counter.reads += 1;
        change(counter.reads);
      }
      return Reflect.get(target, key);
    },
  });
}

test("A6: a place in which somebody goes on writing is refused by the name of what changed", async () => {
  const changing = whenLooked((look) => put(request.at.work, "late.txt", `${look}\n`));
  expect(await refusalOf(changing)).toContain("late.txt cannot be rescued: it changed meanwhile");
  expect(listPutAway(scene.site.home)).toEqual([]);
});

test("A6: what changes once meanwhile is looked at again: the rescue holds the place as it came to rest", async () => {
  const changing = whenLooked((look) => look === 2 && put(request.at.work, "late.txt"));
  const name = await rescue(scene.site, changing);
  expect([Object.keys(keptIn(name)).includes("late.txt"), listPutAway(scene.site.home).length]).toEqual([true, 1]);
});

test("A6: a file that is there at one look and gone at the next is no reason to keep nothing", async () => {
  put(request.at.work, "swap.tmp");
  const changing = whenLooked((look) => look === 1 && rmSync(join(request.at.work, "swap.tmp")));
  const name = await rescue(scene.site, changing);
  expect(Object.keys(keptIn(name)).includes("swap.tmp")).toBe(false);
});

test("A6: too much to copy is refused; whoever asked keeps the directory itself", async () => {
  const large = join(request.at.work, "build/large.bin");
  put(request.at.work, "build/large.bin", Buffer.alloc(65 * 2 ** 20, 1));
  expect(await refusalOf()).toBe("there is too much to copy");
  rmSync(large);
  put(request.at.work, "build/sparse.bin", "");
  truncateSync(join(request.at.work, "build/sparse.bin"), 200 * 2 ** 20);
  const name = await rescue(scene.site, request);
  const { blocks = 0 } = statSync(
    join(
      putAway(name).where,
      createHash("sha256")
        .update(Buffer.alloc(200 * 2 ** 20))
        .digest("hex"),
    ),
  );
  expect(blocks * 512).toBeLessThan(2 ** 20);
});

test("A6: a repository of SHA-256 objects is rescued and restored", async () => {
  const other = await makeScene("sha256");
  const place = other.place("open merge", "task-1");
  const before = lookAt(place.at.work);
  await rescue(other.site, place);
  const [of] = listPutAway(other.site.home);
  if (of === undefined) throw new Error("nothing is there");
  await restorePutAway(other.site.home, of, join(other.directory, "back"));
  expect(lookAt(join(other.directory, "back"))).toEqual(before);
  expect(plainGit(join(other.directory, "back"), "status")).toContain("You have unmerged paths");
  other.dispose();
});

test("A6: of a work tree that shares the user's repository, index, open merge and branch are rescued, and nothing of the user's", async () => {
  const checkout = join(scene.directory, "project");
  const linked = join(scene.directory, "linked");
  plainGit(checkout, "worktree", "add", "-q", "-b", "harness/task-9", linked, "HEAD~1");
  put(linked, "one.txt", "mine\n");
  plainGit(linked, "commit", "-q", "-a", "-m", "mine");
  try {
    plainGit(linked, "merge", "main");
  } catch {
    // The conflict is what is rescued.
  }
  const gitDir = plainGit(linked, "rev-parse", "--absolute-git-dir").trim();
  const at = { work: linked, theirIndex: join(gitDir, "index"), index: join(gitDir, "none"), settledIndex: "" };
  const place = { at, gitDir, shared: true, indexIsOfBase: false, exempt: [], why: "a test" };
  const base = plainGit(checkout, "rev-parse", "main~1").trim();
  const name = await rescue(scene.site, { ...place, base, task: "task-9", attempt: 1 });
  const status = plainGit(linked, "status", "--porcelain=v2", "--branch");
  rmSync(join(scene.directory, "project"), { recursive: true });
  const back = join(scene.directory, "back");
  await restorePutAway(scene.site.home, putAway(name), back);
  expect(plainGit(back, "status", "--porcelain=v2", "--branch")).toBe(status);
  expect(plainGit(back, "log", "--format=%s", "-1", "harness/task-9")).toBe("mine\n");
  expect(plainGit(back, "fsck", "--no-dangling")).toBe("");
});

test("A6: what is shown is each file against the base", async () => {
  const { work } = request.at;
  rmSync(join(work, "two.txt"));
  put(work, "one.txt", "changed\n");
  put(work, "build/out.o", "ignored\n");
  put(work, "key.pem", "key\n");
  symlinkSync("one.txt", join(work, "link"));
  const files = await filesOf(scene.site.home, putAway(await rescue(scene.site, request)));
  const shown = files.ok ? files.value?.map(({ path, status, kept }) => `${status} ${path} ${kept}`) : files.failure;
  expect(shown).toEqual([
    "other build/out.o vault",
    "added key.pem vault",
    "added link git",
    "changed one.txt git",
    "added staged.txt git",
    "removed two.txt base",
  ]);
});

test("A6: restored configuration and hooks of an agent run nothing: they lie beside ours", async () => {
  const { work } = request.at;
  const canary = join(scene.directory, "canary");
  plainGit(work, "config", "core.fsmonitor", `touch ${canary}; false`);
  put(work, ".git/hooks/post-index-change", `#!/bin/sh\ntouch ${canary}\n`);
  chmodSync(join(work, ".git/hooks/post-index-change"), 0o755);
  const name = await rescue(scene.site, request);
  const back = join(scene.directory, "back");
  expect(await restorePutAway(scene.site.home, putAway(name), back)).toMatchObject({ ok: true });
  plainGit(back, "status");
  plainGit(back, "add", "one.txt");
  expect(existsSync(canary)).toBe(false);
  expect(readFileSync(join(back, ".git/config.rescued"), "utf8")).toContain("fsmonitor");
});

test("A6: a directory that holds anything is not restored into, and an interrupted restore leaves nothing in its place", async () => {
  const name = await rescue(scene.site, request);
  const back = join(scene.directory, "back");
  put(back, "mine.txt");
  const taken = { ok: false, failure: { kind: "usage", message: `${back} is there already` } };
  expect(await restorePutAway(scene.site.home, putAway(name), back)).toMatchObject(taken);
  rmSync(join(back, "mine.txt"));
  const { where } = putAway(name);
  writeFileSync(join(where, "bytes"), "");
  const broken = await restorePutAway(scene.site.home, putAway(name), back);
  expect(broken).toMatchObject({ ok: false, failure: { message: expect.stringContaining("ends too early") } });
  expect([readdirSync(back), readdirSync(scene.directory).filter((file) => file.startsWith(".back"))]).toEqual([
    [],
    [],
  ]);
});

test("A6: a dropped rescue is gone with its objects; the others stay whole", async () => {
  put(request.at.work, "only-here.txt", "only here\n");
  const blob = plainGit(request.at.work, "hash-object", "only-here.txt").trim();
  const [first, second] = [
    await rescue(scene.site, request),
    await rescue(scene.site, scene.place("stashes", "task-2")),
  ];
  const before = lookAt(join(scene.directory, "places/task-2"));
  await drop(scene.site.home, putAway(first));
  expect(listPutAway(scene.site.home).map(({ name }) => name)).toEqual([second]);
  expect(() => inRescues("cat-file", "-e", blob)).toThrow();
  expect(inRescues("fsck", "--no-dangling")).toBe("");
  await restorePutAway(scene.site.home, putAway(second), join(scene.directory, "back"));
  expect(lookAt(join(scene.directory, "back"))).toEqual(before);
});

test("A6: rescues of several lanes at once each have all of theirs", async () => {
  const states = ["open rebase", "stashes", "open merge", "detached commits"];
  const places = states.map((state, i) => scene.place(state, `task-${i + 10}`));
  const before = places.map(({ at }) => lookAt(at.work));
  const names = await Promise.all(places.map((place) => rescue(scene.site, place)));
  for (const [i, name] of names.entries()) {
    const back = join(scene.directory, "back", String(i));
    mkdirSync(join(scene.directory, "back"), { recursive: true });
    await restorePutAway(scene.site.home, putAway(name), back);
    expect(lookAt(back)).toEqual(before[i]);
    expect(plainGit(back, "fsck", "--no-dangling")).toBe("");
  }
});

test("A6: many rescues are gathered into one pack, and all of them stay", async () => {
  for (let i = 0; i < 41; i += 1) {
    put(request.at.work, "one.txt", `${i}\n`);
    await rescue(scene.site, request);
  }
  const packs = readdirSync(join(scene.site.home, "rescue.git/objects/pack")).filter((file) => file.endsWith(".pack"));
  expect(packs.length).toBeLessThan(10);
  expect(inRescues("cat-file", "-p", "refs/harness/rescue/task-1/1:one.txt")).toBe("0");
  expect(
    execFileSync("git", ["fsck", "--no-dangling"], { cwd: join(scene.site.home, "rescue.git"), encoding: "utf8" }),
  ).toBe("");
});
