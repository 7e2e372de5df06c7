import { appendFile, chmod, open, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeRealGit, plainGit, put, type RealGit, readOrNull } from "../real-git.fixture.ts";
import { accept, finish, refusal, userCommits, userState } from "./accept.fixture.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit();
});
afterEach(() => real.dispose());

const clean = { status: "", locks: [], records: [] };
const subjects = (...range: string[]) => real.git("log", "--first-parent", "--format=%s", ...range);

test("G5: work that only adds to the user's branch is a fast-forward, files and all; twice is once", async () => {
  await finish(real, "task-1", { "a.txt": "a\n", "sub/b.txt": "b\n" });
  const second = await finish(real, "task-2", { "readme.md": "changed\n", ".gitignore": "ignored.txt\n" });
  expect(await accept(real)).toEqual({
    how: "fast-forward",
    branch: "main",
    commit: second,
    tasks: ["task-1", "task-2"],
  });
  const after = await userState(real);
  expect(after).toMatchObject({ ...clean, head: second, on: "refs/heads/main" });
  expect(after.files).toEqual({
    ".gitignore": "ignored.txt\n",
    "a.txt": "a\n",
    "readme.md": "changed\n",
    "sub/b.txt": "b\n",
  });
  expect(await real.git("reflog", "-1", "--format=%gs", "main")).toBe("harness accept: from harness/mission-x");
  expect(await real.git("reflog", "-1", "--format=%gs", "HEAD")).toBe("harness accept: from harness/mission-x");
  expect(await accept(real)).toEqual({ how: "present", branch: "main", commit: second, tasks: ["task-1", "task-2"] });
  expect(await userState(real)).toEqual(after);
});

test("G5: beside commits of the user it is a merge commit with the list of tasks, as git merge would make it", async () => {
  await finish(real, "task-1", { "a.txt": "a\n" });
  const mission = await finish(real, "task-2", { "b.txt": "b\n" });
  const own = await userCommits(real, { "mine.txt": "mine\n" });
  const { how, commit } = await accept(real);
  expect(how).toBe("merge");
  expect(await real.git("log", "-1", "--format=%P%n%an%n%B", commit)).toBe(
    `${own} ${mission}\nA User\nAccept 2 tasks of mission-x\n\nMerge of harness/mission-x.\n\n- task-1: work\n- task-2: work\n\nHarness-Mission: mission-x\nHarness-Accept: ${mission}`,
  );
  expect(await userState(real)).toMatchObject({ ...clean, head: commit });
  expect(await accept(real)).toMatchObject({ how: "present" });
  await finish(real, "task-3", { "c.txt": "c\n" });
  expect(await accept(real)).toMatchObject({ how: "merge", tasks: ["task-3"] });
});

test("G5: --squash is one commit with the list of tasks, and later work comes on top of it", async () => {
  const first = await finish(real, "task-1", { "a.txt": "a\n" });
  const second = await finish(real, "task-2", { "b.txt": "b\n" });
  const start = await real.git("rev-parse", "main");
  const { commit } = await accept(real, { squash: true });
  expect(await real.git("log", "-1", "--format=%P%n%B", commit)).toBe(
    `${start}\nAccept 2 tasks of mission-x\n\n- task-1: work\n- task-2: work\n\nHarness-Mission: mission-x\nHarness-Accept: ${first}\nHarness-Accept: ${second}`,
  );
  expect(await userState(real)).toMatchObject({ ...clean, head: commit });
  expect(await accept(real, { squash: true })).toMatchObject({ how: "present" });
  expect(await accept(real)).toMatchObject({ how: "present" });
  const third = await finish(real, "task-3", { "a.txt": "a more\n" });
  expect(await accept(real, { squash: true })).toMatchObject({ how: "squash", tasks: ["task-3"] });
  expect(await real.git("log", "-1", "--format=%(trailers:key=Harness-Accept,valueonly)")).toBe(third);
  expect(await readOrNull(join(real.checkout, "a.txt"))).toBe("a more\n");
});

test("G5: named tasks, and no others, are applied one by one with their trailers", async () => {
  await finish(real, "task-1", { "a.txt": "a\n" });
  const second = await finish(real, "task-2", { "b.txt": "b\n" });
  await finish(real, "task-3", { "c.txt": "c\n" });
  expect(await accept(real, { tasks: ["task-2"] })).toMatchObject({ how: "pick", tasks: ["task-2"] });
  expect(await real.git("log", "-1", "--format=%B")).toBe(
    `task-2: work\n\nHarness-Task: task-2\nHarness-Attempt: 1\nHarness-Fence: ${(await real.git("log", "-1", "--format=%(trailers:key=Harness-Fence,valueonly)", second)).trim()}\nHarness-Mission: mission-x\nHarness-Accept: ${second}`,
  );
  expect(Object.keys((await userState(real)).files)).toEqual([".gitignore", "b.txt", "readme.md"]);
  expect(await accept(real, { tasks: ["task-2"] })).toMatchObject({ how: "present", tasks: ["task-2"] });
  expect(await accept(real)).toMatchObject({ how: "merge", tasks: ["task-1", "task-3"] });
  expect(Object.keys((await userState(real)).files)).toEqual([".gitignore", "a.txt", "b.txt", "c.txt", "readme.md"]);
});

test("G5: the first tasks, named, are the mission's own commits", async () => {
  const first = await finish(real, "task-1", { "a.txt": "a\n" });
  await finish(real, "task-2", { "b.txt": "b\n" });
  expect(await accept(real, { tasks: ["task-1"] })).toEqual({
    how: "pick",
    branch: "main",
    commit: first,
    tasks: ["task-1"],
  });
  expect(await accept(real)).toMatchObject({ how: "fast-forward", tasks: ["task-2"] });
});

test("G5: a named task that does not apply by itself is refused with its files, and nothing changes", async () => {
  await finish(real, "task-1", { "readme.md": "one\n" });
  await finish(real, "task-2", { "readme.md": "two\n" });
  const before = await userState(real);
  expect(await refusal(real, { tasks: ["task-2"] })).toBe(
    "merge_conflict: task-2 does not apply to main by itself: readme.md",
  );
  expect(await userState(real)).toEqual(before);
});

test("G5: where both changed the same place nothing changes, and the files are named", async () => {
  await finish(real, "task-1", { "readme.md": "theirs\n", "other.txt": "x\n" });
  await userCommits(real, { "readme.md": "mine\n" });
  const before = await userState(real);
  expect(await refusal(real)).toBe("merge_conflict: main and harness/mission-x changed the same places: readme.md");
  expect(await userState(real)).toEqual(before);
});

const dirt: Readonly<Record<string, () => Promise<unknown>>> = {
  "has changes that are not committed: readme.md": () => put(real.checkout, "readme.md", "edited\n"),
  "has changes that are not committed: new.txt": async () => {
    await put(real.checkout, "new.txt", "staged only\n");
    await real.git("add", "new.txt");
  },
  "has files in the way that git does not track: a.txt": () => put(real.checkout, "a.txt", "not tracked\n"),
  "has files in the way that git does not track: build/x": () => put(real.checkout, "build/x", "ignored\n"),
  "has files in the way that git does not track: sub": () => put(real.checkout, "sub", "a file where a folder goes\n"),
  "has files in the way that git does not track: b.txt/ignored.txt": () =>
    put(real.checkout, "b.txt/ignored.txt", "!\n"),
  "has files in the way that git does not track: link": () => symlink("/etc", join(real.checkout, "link")),
  "is in the middle of a merge": async () =>
    put(join(real.checkout, ".git"), "MERGE_HEAD", await real.git("rev-parse", "HEAD")),
};

test.each(Object.entries(dirt))("PR-3: held, with nothing changed, while the checkout %s", async (why, make) => {
  const files = {
    "a.txt": "a\n",
    "b.txt": "b\n",
    "sub/c.txt": "c\n",
    "link/d.txt": "d\n",
    ".gitignore": "ignored.txt\n",
  };
  await finish(real, "task-0", { ".gitignore": "ignored.txt\n" });
  await finish(real, "task-1", { ...files, "build/x": "tracked\n" });
  await make();
  const before = await userState(real);
  expect(await refusal(real)).toBe(`usage: main stays as it is: its checkout ${real.checkout} ${why}`);
  expect(await userState(real)).toEqual(before);
});

test("PR-3: untracked and ignored files that are in nobody's way stay as they are", async () => {
  await finish(real, "task-1", { "sub/a.txt": "a\n", "readme.md": null });
  for (const file of ["ignored.txt", "own.txt", "sub/own.txt", "build/out"]) await put(real.checkout, file, file);
  expect(await accept(real)).toMatchObject({ how: "fast-forward" });
  const { files } = await userState(real);
  expect(files).toEqual({
    ".gitignore": "ignored.txt\nbuild/\n",
    "build/out": "build/out",
    "ignored.txt": "ignored.txt",
    "own.txt": "own.txt",
    "sub/a.txt": "a\n",
    "sub/own.txt": "sub/own.txt",
  });
});

test("PR-3: a folder of ignored files is not given up for a file of its name", async () => {
  await userCommits(real, { "place/tracked.txt": "t\n" });
  await finish(real, "task-1", { "place/tracked.txt": null });
  await finish(real, "task-2", { place: "a file now\n" });
  await put(real.checkout, "place/ignored.txt", "precious\n");
  expect(await refusal(real)).toContain("has files in the way that git does not track: place/ignored.txt");
  expect(await readOrNull(join(real.checkout, "place/ignored.txt"))).toBe("precious\n");
});

test("G5: modes, links, odd names, folders for files and files for folders arrive as in the commit", async () => {
  await userCommits(real, { "was-file": "f\n", "was-folder/x": "x\n", "tool.sh": "#!/bin/sh\n" });
  await finish(real, "task-1", { "was-file": null, "was-folder": null });
  await finish(real, "task-2", {
    "was-file/inside": "i\n",
    "was-folder": "now a file\n",
    'nöt "plain"\tname': "odd\n",
    empty: "",
  });
  const opening = await real.workspaces.open({ slot: 0, task: "task-3", attempt: 1, fence: 9_999 });
  if (!opening.ok || opening.value.merged) throw new Error("not opened");
  await chmod(join(opening.value.path, "tool.sh"), 0o755);
  await symlink("readme.md", join(opening.value.path, "link"));
  const message = "task-3: work\n\nHarness-Task: task-3\n";
  const candidate = await real.workspaces.commit({ ...opening.value, message });
  if (!candidate.ok) throw new Error(candidate.failure.message);
  await real.workspaces.merge({ candidate: candidate.value, task: "task-3", attempt: 1 });
  await accept(real);
  const after = await userState(real);
  expect(after).toMatchObject(clean);
  expect(await real.git("diff", "--stat", "harness/mission-x")).toBe("");
  expect(after.files).toMatchObject({
    link: "-> readme.md",
    "tool.sh": "x #!/bin/sh\n",
    "was-folder": "now a file\n",
    empty: "",
  });
});

test("G5: a branch that is checked out in another worktree moves there, or is held there", async () => {
  const beside = join(real.directory, "beside");
  await real.git("worktree", "add", "-q", "-b", "release", beside);
  await finish(real, "task-1", { "a.txt": "a\n" });
  await put(beside, "readme.md", "edited there\n");
  const before = await userState(real, beside);
  expect(await refusal(real, { branch: "release" })).toContain(
    `its checkout ${beside} has changes that are not committed: readme.md`,
  );
  expect(await userState(real, beside)).toEqual(before);
  await plainGit(beside, "checkout", "-q", "readme.md");
  expect(await accept(real, { branch: "release" })).toMatchObject({ branch: "release", how: "fast-forward" });
  expect(await userState(real, beside)).toMatchObject({ status: "", on: "refs/heads/release" });
  expect([await readOrNull(join(beside, "a.txt")), await readOrNull(join(real.checkout, "a.txt"))]).toEqual([
    "a\n",
    null,
  ]);
});

test("G5: a branch that is checked out nowhere moves by itself", async () => {
  await real.git("branch", "release");
  const commit = await finish(real, "task-1", { "a.txt": "a\n" });
  const before = await userState(real);
  expect(await accept(real, { branch: "release" })).toMatchObject({ branch: "release", commit });
  const after = await userState(real);
  expect({ ...after, refs: "" }).toEqual({ ...before, refs: "" });
  expect(await real.git("rev-parse", "release")).toBe(commit);
});

test("G5: the branch the mission was cut from is meant, whatever is checked out by now", async () => {
  const commit = await finish(real, "task-1", { "a.txt": "a\n" });
  await real.git("switch", "-q", "-c", "experiment");
  expect(await accept(real, { otherwise: "cut-from" })).toMatchObject({ branch: "main", commit });
  expect(await real.git("rev-parse", "experiment~0", "main")).toBe(
    `${await real.git("rev-parse", "experiment")}\n${commit}`,
  );
});

test("PR-18: without a branch of the user's own there is nothing to bring work into, and the way out is named", async () => {
  await finish(real, "task-1", { "a.txt": "a\n" });
  await real.git("switch", "-q", "--detach");
  expect(await refusal(real)).toContain("no branch is checked out here (detached HEAD)");
  await real.git("switch", "-q", "--orphan", "fresh");
  expect(await refusal(real)).toContain("the branch fresh has no commit");
  await real.git("switch", "-q", "-f", "harness/mission-x");
  expect(await refusal(real)).toContain("harness/mission-x is a branch of Harness itself");
});

test("G5: a shallow clone and a SHA-256 repository are repositories like any other", async () => {
  const big = await makeRealGit({ init: ["--object-format=sha256"] });
  await finish(big, "task-1", { "a.txt": "a\n" });
  await userCommits(big, { "mine.txt": "m\n" });
  expect(await accept(big)).toMatchObject({ how: "merge", commit: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(await userState(big)).toMatchObject(clean);
  await big.dispose();
  const origin = await makeRealGit();
  for (const name of ["one", "two", "three"]) await userCommits(origin, { [name]: name });
  const shallow = await makeRealGit({ name: "shallow", from: origin.checkout });
  await finish(shallow, "task-1", { "a.txt": "a\n" });
  await userCommits(shallow, { "mine.txt": "m\n" });
  expect(await accept(shallow)).toMatchObject({ how: "merge" });
  expect(await userState(shallow)).toMatchObject(clean);
  await Promise.all([origin.dispose(), shallow.dispose()]);
});

const conversions: Readonly<Record<string, () => Promise<unknown>>> = {
  "a.txt (core.autocrlf)": () => real.git("config", "core.autocrlf", "true"),
  "a.txt (filter=lfs)": () => userCommits(real, { ".gitattributes": "*.txt filter=lfs diff=lfs merge=lfs -text\n" }),
  "a.txt (eol=crlf)": () => userCommits(real, { ".gitattributes": "*.txt text eol=crlf\n" }),
  "a.txt (ident)": () => appendFile(join(real.checkout, ".git/info/attributes"), "a.txt ident\n"),
  "a.txt (working-tree-encoding=UTF-16)": () =>
    userCommits(real, { ".gitattributes": "*.txt working-tree-encoding=UTF-16\n" }),
  "a.txt (merge=union)": () => userCommits(real, { ".gitattributes": "*.txt merge=union\n" }),
};

test.each(Object.entries(conversions))(
  "PR-12: what only the user's own git can write is left to it: %s",
  async (why, make) => {
    await finish(real, "task-1", { "a.txt": "a\n" });
    await make();
    const before = await userState(real);
    expect(await refusal(real)).toBe(
      `usage: main stays as it is: files need your own git to be written or merged: ${why}`,
    );
    expect(await userState(real)).toEqual(before);
  },
);

test("G5: attributes that change nothing on this machine keep nobody out", async () => {
  await userCommits(real, { ".gitattributes": "* text=auto\n*.bin -text\n*.sh eol=lf\n" });
  await finish(real, "task-1", { "a.txt": "a\n", "b.bin": "\r\n", "c.sh": "c\n" });
  expect(await accept(real)).toMatchObject({ how: "fast-forward" });
  expect(await userState(real)).toMatchObject(clean);
});

test("G5: the sparse checkout of a user is left to the user's own git", async () => {
  await userCommits(real, { "in/x": "x\n", "out/y": "y\n" });
  await real.git("sparse-checkout", "set", "in");
  await finish(real, "task-1", { "out/y": "changed\n" });
  expect(await refusal(real)).toContain("its checkout is sparse");
});

test("G5: while the user's git holds its lock the checkout is left alone", async () => {
  await finish(real, "task-1", { "a.txt": "a\n" });
  await put(join(real.checkout, ".git"), "index.lock", "");
  const before = await userState(real);
  expect(await refusal(real)).toContain("git is at work");
  expect(await userState(real)).toEqual({ ...before });
});

test.each(["refs/heads/main.lock", "HEAD.lock"])(
  "PR-5: a git of the user's that was killed while it held %s is in nobody's way",
  async (lock) => {
    const mission = await finish(real, "task-1", { "a.txt": "a\n" });
    await put(join(real.checkout, ".git"), lock, "");
    expect(await accept(real)).toMatchObject({ how: "fast-forward", commit: mission });
    expect(await userState(real)).toMatchObject({ ...clean, head: mission });
    expect(await readOrNull(join(real.checkout, ".git", lock))).toBe(null);
  },
);

test("PR-3, PR-20: a branch that somebody holds stays as it is, its lock too, and is named", async () => {
  await finish(real, "task-1", { "a.txt": "a\n" });
  await put(join(real.checkout, ".git"), "refs/heads/main.lock", "");
  const before = await userState(real);
  const held = await open(join(real.checkout, ".git/refs/heads/main.lock"), "r");
  const refused = await refusal(real);
  await held.close();
  expect(refused).toMatch(/^env_setup: git could not move refs\/heads\/main: .*main\.lock': File exists/);
  expect(await userState(real)).toEqual(before);
});

test("PR-12: no hook, filter or driver of the repository runs while work is accepted", async () => {
  const canary = join(real.directory, "canary");
  for (const hook of [
    "post-checkout",
    "post-merge",
    "pre-commit",
    "reference-transaction",
    "post-index-change",
    "commit-msg",
  ]) {
    await put(join(real.checkout, ".git/hooks"), hook, `#!/bin/sh\necho ${hook} >> '${canary}'\n`);
    await chmod(join(real.checkout, ".git/hooks", hook), 0o755);
  }
  await finish(real, "task-1", { "a.txt": "a\n" });
  await userCommits(real, { "mine.txt": "m\n" }).catch(() => undefined);
  await put(real.directory, "canary", "");
  for (const [name, setting] of Object.entries({
    "filter.evil.smudge": "cat; echo smudge >>",
    "filter.evil.clean": "cat; echo clean >>",
    "merge.evil.driver": "echo driver >>",
    "core.fsmonitor": "echo fsmonitor >>",
    "diff.external": "echo diff >>",
  }))
    await plainGit(real.checkout, "-c", "core.hooksPath=/dev/null", "config", name, `${setting} '${canary}'`);
  await appendFile(join(real.checkout, ".git/info/attributes"), "readme.md filter=evil merge=evil\n");
  await put(real.directory, "canary", "");
  expect(await accept(real)).toMatchObject({ tasks: ["task-1"] });
  expect(await readOrNull(canary)).toBe("");
});

test("G5: the log of the user's branch names each acceptance once", async () => {
  await finish(real, "task-1", { "a.txt": "a\n" });
  await userCommits(real, { "mine.txt": "m\n" });
  await accept(real);
  expect((await subjects("main")).split("\n")).toEqual(["task-1: work", "user: mine.txt", "start"]);
});
