import { appendFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { commitAndMerge, makeRealGit, openSlot, plainGit, put, type RealGit } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";
import { createCloneWorkspaces } from "./clone-workspaces.ts";
import { everyFile } from "./whole-checkout.fixture.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(() => real.dispose());

const refused = (message: string) => ({
  ok: false,
  failure: { kind: "env_setup", message: expect.stringContaining(message), remedy: expect.any(String) },
});
const first = { slot: 0, task: "task-1", attempt: 1, fence: 1 };

test("PR-3: a whole cycle leaves a dirty checkout, its index, HEAD, configuration and branches byte for byte", async () => {
  await put(real.checkout, "readme.md", "half an edit\n");
  await put(real.checkout, "staged.txt", "staged\n");
  await real.git("add", "staged.txt");
  await put(real.checkout, "untracked.txt", "untracked\n");
  await symlink("nowhere", join(real.checkout, "dangling"));
  const status = await real.git("status", "--porcelain");
  const files = await everyFile(real.checkout);

  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "work.txt", "work\n");
  value(await real.workspaces.inspect(opening));
  const { candidate, merged } = await commitAndMerge(real.workspaces, opening);
  value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
  value(await real.workspaces.close(opening.end));
  const second = await openSlot(real.workspaces, "task-2", { fence: 2 });
  value(await real.workspaces.archive(second.end));

  expect(merged).toEqual({ merged: true, commit: candidate.commit });
  expect(await everyFile(real.checkout)).toEqual(files);
  expect(await real.git("status", "--porcelain")).toBe(status);
});

test("the mission branch is one linear commit per task, signed as the repository says, with the message as given", async () => {
  for (const [fence, task] of [
    [1, "task-1"],
    [2, "task-2"],
  ] as const) {
    const opening = await openSlot(real.workspaces, task, { fence });
    await put(opening.path, `${task}.txt`, "x\n");
    await commitAndMerge(real.workspaces, opening);
    value(await real.workspaces.close(opening.end));
  }
  const format = "--format=%an <%ae>|%cn|%s|%(trailers:unfold,separator=%x2C)";
  expect((await real.git("log", "--reverse", format, "main..harness/mission-x")).split("\n")).toEqual([
    "A User <user@example.org>|A User|task-1: work|Harness-Task: task-1,Harness-Attempt: 1,Harness-Fence: 1",
    "A User <user@example.org>|A User|task-2: work|Harness-Task: task-2,Harness-Attempt: 1,Harness-Fence: 2",
  ]);
  expect(await real.git("rev-list", "--count", "--merges", "harness/mission-x")).toBe("0");
});

test("a repository without an identity of its own gets commits by Harness", async () => {
  await real.git("config", "--unset", "user.name");
  await real.git("config", "--unset", "user.email");
  const opening = await openSlot(real.workspaces, "task-1");
  await commitAndMerge(real.workspaces, opening);
  expect(await real.git("log", "-1", "--format=%an <%ae>", "harness/mission-x")).toBe("Harness <harness@localhost>");
});

test("PR-3: a mission branch that is checked out somewhere is not moved there", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await real.git("worktree", "add", "-q", join(real.directory, "elsewhere"), "harness/mission-x");
  const candidate = value(
    await real.workspaces.commit({ path: opening.path, base: opening.base, message: "x\n\nHarness-Task: task-1\n" }),
  );
  const outcome = await real.workspaces.merge({ candidate, task: "task-1", attempt: 1 });
  expect(outcome).toMatchObject(refused("is checked out at"));
  expect(await real.git("rev-parse", "harness/mission-x")).toBe(opening.base);
  await real.git("worktree", "remove", join(real.directory, "elsewhere"));
  expect(await real.workspaces.merge({ candidate, task: "task-1", attempt: 1 })).toMatchObject({ ok: true });
});

test("a directory without git, a bare repository and one without commits are refused with a remedy", async () => {
  const plain = join(real.directory, "plain");
  const bare = join(real.directory, "bare.git");
  const empty = join(real.directory, "empty");
  await put(plain, "file.txt", "x\n");
  await plainGit(real.directory, "init", "-q", "--bare", bare);
  await plainGit(real.directory, "init", "-q", empty);
  const open = (repository: string) =>
    createCloneWorkspaces({ ...real.options, repository, home: `${repository}-home` }).open(first);
  expect([await open(plain), await open(bare), await open(empty)]).toMatchObject([
    refused("is not in a git repository"),
    refused("is a bare git repository"),
    refused("has no commits"),
  ]);
  await plainGit(empty, "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-m", "first");
  expect(await open(empty)).toMatchObject({ ok: true });
});

test("a failure is not kept: the same handle works once its cause is mended", async () => {
  const repository = join(real.directory, "later");
  await put(repository, "file.txt", "x\n");
  const workspaces = createCloneWorkspaces({ ...real.options, repository, home: join(real.directory, "later-home") });
  expect(await workspaces.open(first)).toMatchObject({ ok: false });
  await plainGit(repository, "init", "-q");
  await plainGit(repository, "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-m", "first");
  expect(await workspaces.open(first)).toMatchObject({ ok: true });
});

test("a detached HEAD, a directory inside the checkout and a linked work tree all serve", async () => {
  await real.git("checkout", "-q", "--detach");
  await put(real.checkout, "deep/inside/file.txt", "x\n");
  const linked = join(real.directory, "linked");
  await real.git("worktree", "add", "-q", "--detach", linked);
  await put(linked, "linked.txt", "only in the linked work tree\n");
  await plainGit(linked, "add", "-A");
  await plainGit(linked, "commit", "-q", "-m", "in the linked work tree");
  const opened = (repository: string, home: string, branch: string) =>
    openSlot(
      createCloneWorkspaces({ ...real.options, repository, home: join(real.directory, home), branch }),
      "task-1",
    );
  const inside = await opened(join(real.checkout, "deep/inside"), "h1", "harness/one");
  const beside = await opened(linked, "h2", "harness/two");
  expect([await real.read(inside.path, "linked.txt"), await real.read(beside.path, "linked.txt")]).toEqual([
    null,
    "only in the linked work tree\n",
  ]);
});

test.each([
  ["a rescue", 0],
  ["a directory that was too much to copy", 65 * 2 ** 20],
])("A6, PR-3: the base of %s outlives the mission branch and a collection of garbage", async (_, ignored) => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(real.workspaces, opening);
  const next = await openSlot(real.workspaces, "task-2", { fence: 2 });
  await put(next.path, "b.txt", "b\n");
  if (ignored > 0) await put(next.path, "build/large", Buffer.alloc(ignored, 1));
  const { archive } = value(await real.workspaces.archive(next.end));
  const pins = await real.git("for-each-ref", "--format=%(refname)", "refs/harness/base");
  expect(pins.includes("task-2-1")).toBe(ignored > 0);
  await real.git("update-ref", "-d", "refs/heads/harness/mission-x");
  await real.git("reflog", "expire", "--expire=now", "--all");
  await real.git("gc", "-q", "--prune=now");
  const restored = await real.restored(archive);
  expect(await plainGit(restored, "status", "--porcelain")).toBe("?? b.txt");
  expect(await plainGit(restored, "fsck", "--no-dangling")).toBe("");
});

test("pins and candidates go when nothing needs them", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  await commitAndMerge(real.workspaces, opening);
  value(await real.workspaces.close(opening.end));
  const left = (await real.git("for-each-ref", "--format=%(refname)", "refs/harness")).split("\n");
  expect(left).toEqual([
    "refs/harness/merged/harness/mission-x",
    "refs/harness/start/harness/mission-x/head",
    "refs/harness/user/harness/mission-x/refs/heads/main",
  ]);
});

test("PR-3: whoever deletes every reference of ours takes no branch of the user's along", async () => {
  await openSlot(real.workspaces, "task-1");
  const branches = await real.git("for-each-ref", "refs/heads");
  const refs = (await real.git("for-each-ref", "--format=%(refname)", "refs/harness")).split("\n");
  for (const ref of refs) await real.git("update-ref", "-d", ref);
  expect(refs.length).toBeGreaterThan(2);
  expect(await real.git("for-each-ref", "refs/heads")).toBe(branches);
});

test.each([
  ["as this version notes it", async () => undefined],
  [
    "PR-21: as the first versions did, by a symbolic reference",
    async () => {
      await real.git("update-ref", "-d", "refs/harness/user/harness/mission-x/refs/heads/main");
      await real.git("symbolic-ref", "refs/harness/user/harness/mission-x", "refs/heads/main");
    },
  ],
])("the user's branch is followed wherever his checkout goes: %s", async (_how, prepare) => {
  await openSlot(real.workspaces, "task-1");
  await prepare();
  await put(real.checkout, "theirs.txt", "theirs\n");
  await real.git("add", "theirs.txt");
  await real.git("commit", "-q", "-m", "theirs");
  await real.git("switch", "-q", "-c", "elsewhere", "HEAD~1");
  const trial = value(await real.workspaces.trial({ branch: null, tried: null }));
  expect(trial).toMatchObject({ end: "merged", theirs: await real.git("rev-parse", "main") });
});

test("a repository of SHA-256 objects works", async () => {
  const other = await makeRealGit({ init: ["--object-format=sha256"] });
  const opening = await openSlot(other.workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  const { candidate, merged } = await commitAndMerge(other.workspaces, opening);
  value(await other.workspaces.proof({ slot: 0, commit: candidate.commit }));
  expect(candidate.commit).toMatch(/^[0-9a-f]{64}$/);
  expect({ merged, file: await other.readAtHead("a.txt") }).toEqual({
    merged: { merged: true, commit: candidate.commit },
    file: "a\n",
  });
  await other.dispose();
});

test("a shallow clone of the user's works", async () => {
  for (const text of ["two\n", "three\n"]) {
    await put(real.checkout, "readme.md", text);
    await real.git("commit", "-q", "-a", "-m", text);
  }
  const shallow = join(real.directory, "shallow");
  await plainGit(real.directory, "clone", "-q", "--depth=1", `file://${real.checkout}`, shallow);
  const home = join(real.directory, "shallow-home");
  const workspaces = createCloneWorkspaces({ ...real.options, repository: shallow, home });
  const opening = await openSlot(workspaces, "task-1");
  await put(opening.path, "a.txt", "a\n");
  expect(await plainGit(opening.path, "log", "--format=%s")).toBe("three");
  expect((await commitAndMerge(workspaces, opening)).merged).toMatchObject({ merged: true });
});

test("what the user's own exclude list ignores is not work", async () => {
  await appendFile(join(real.checkout, ".git/info/exclude"), "secrets.env\n");
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "secrets.env", "TOKEN=1\n");
  expect(value(await real.workspaces.inspect(opening))).toMatchObject({ uncommitted: false });
  await commitAndMerge(real.workspaces, opening);
  expect(await real.readAtHead("secrets.env")).toBe(null);
});

test("a state root that is a link out of the repository is refused", async () => {
  await symlink("/tmp", join(real.checkout, "way-out"));
  await real.git("add", "way-out");
  await real.git("commit", "-q", "-m", "link");
  const workspaces = createCloneWorkspaces({ ...real.options, rootPrefix: "way-out" });
  expect(await workspaces.open(first)).toMatchObject(refused("leads out of the repository"));
  await rm(join(real.checkout, "way-out"));
});
