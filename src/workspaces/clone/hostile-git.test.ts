import { appendFile, chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { uncommittedFiles } from "../../git/describe.ts";
import {
  commitAndMerge,
  commitOf,
  makeRealGit,
  type Opening,
  openSlot,
  plainGit,
  put,
  type RealGit,
  readOrNull,
} from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

const hooks = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "post-applypatch",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "post-update",
  "pre-applypatch",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "pre-rebase",
  "pre-receive",
  "prepare-commit-msg",
  "proc-receive",
  "push-to-checkout",
  "reference-transaction",
  "sendemail-validate",
  "update",
];

let real: RealGit;
beforeEach(async () => {
  real = await makeRealGit({
    files: { ".gitattributes": "* filter=evil diff=evil merge=evil\n", "src/one.txt": "one\n" },
  });
});
afterEach(() => real.dispose());

const canary = (): Promise<string | null> => readOrNull(join(real.directory, "canary"));
const script = async (name: string): Promise<string> => {
  const path = join(real.directory, "payload", name);
  await put(join(real.directory, "payload"), name, `#!/bin/sh\necho ${name} >> '${join(real.directory, "canary")}'\n`);
  await chmod(path, 0o755);
  return path;
};

/** Everything a configuration can make git start, each with a payload that leaves a trace. */
async function poison(gitDir: string): Promise<void> {
  const run = await script("config");
  for (const name of hooks) {
    await mkdir(join(gitDir, "hooks"), { recursive: true });
    await writeFile(join(gitDir, "hooks", name), `#!/bin/sh\n${await script("hook")}\n`);
    await chmod(join(gitDir, "hooks", name), 0o755);
  }
  const settings: Record<string, string> = {
    "core.fsmonitor": run,
    "core.sshCommand": run,
    "core.pager": run,
    "core.editor": run,
    "core.askPass": run,
    "core.gitProxy": run,
    "core.alternateRefsCommand": run,
    "diff.external": run,
    "diff.evil.textconv": run,
    "diff.evil.command": run,
    "merge.evil.driver": run,
    "filter.evil.clean": run,
    "filter.evil.smudge": run,
    "filter.evil.process": run,
    "gpg.program": run,
    "commit.gpgSign": "true",
    "log.showSignature": "true",
    "credential.helper": `!${run}`,
    "alias.ls-files": `!${run}`,
    "uploadpack.packObjectsHook": run,
    "trailer.x.command": run,
    "sequence.editor": run,
    "interactive.diffFilter": run,
    "submodule.recurse": "true",
    "status.submoduleSummary": "true",
    "remote.origin.url": `ext::${run}`,
    "remote.origin.promisor": "true",
    "remote.origin.uploadpack": run,
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "extensions.partialClone": "origin",
    "core.repositoryFormatVersion": "1",
    "url.ext::/bin/false.insteadOf": "/",
  };
  for (const [key, setting] of Object.entries(settings))
    await plainGit(real.directory, "config", "-f", join(gitDir, "config"), key, setting);
}

async function everyVerb(opening: Opening): Promise<void> {
  value(await real.workspaces.inspect(opening));
  const { candidate } = await commitAndMerge(real.workspaces, opening);
  value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
  await poison(join(real.home, "lanes/0/proof/.git"));
  await put(join(real.home, "lanes/0/proof"), "src/one.txt", "changed by a gate\n");
  value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
  const missing = "1".repeat(40);
  await real.workspaces.proof({ slot: 0, commit: missing });
  await real.workspaces.merge({ candidate: { commit: missing, parent: candidate.commit }, task: "task-9", attempt: 1 });
  value(await real.workspaces.close(opening.end));
  const next = await openSlot(real.workspaces, "task-2", { fence: 2 });
  await openSlot(real.workspaces, "task-2", { fence: 3 });
  value(await real.workspaces.archive({ ...next.end, fence: 3 }));
}

test("the canary is alive: plain git runs the payload", async () => {
  await poison(join(real.checkout, ".git"));
  await put(real.checkout, "src/one.txt", "changed\n");
  await plainGit(real.checkout, "status").catch(() => "");
  expect(await canary()).toContain("config");
});

test("PR-12: nothing runs out of the user's repository, whatever its configuration and hooks", async () => {
  await poison(join(real.checkout, ".git"));
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "src/one.txt", "changed\n");
  await everyVerb(opening);
  expect(await canary()).toBe(null);
  await put(real.checkout, "src/one.txt", "by the user\n");
  expect(value(await uncommittedFiles(real.checkout))).toEqual(["src/one.txt"]);
  expect(await canary()).toBe(null);
});

test("PR-12: nothing runs out of a workspace's git directory, rewritten in place", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "src/one.txt", "changed\n");
  await real.commitInside(opening.path, "mine");
  await poison(join(opening.path, ".git"));
  await writeFile(join(opening.path, ".git/refs/heads/harness/task-1"), `${"2".repeat(40)}\n`);
  await put(opening.path, "src/one.txt", "changed again\n");
  await everyVerb(opening);
  expect(await canary()).toBe(null);
});

test("PR-12: nothing runs when .git is moved away and another put in its place, or redirected", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await rename(join(opening.path, ".git"), join(opening.path, "src/.git-was"));
  const trap = join(real.directory, "trap.git");
  await plainGit(real.directory, "init", "-q", "--bare", trap);
  await poison(trap);
  await writeFile(join(opening.path, ".git"), `gitdir: ${trap}\n`);
  await put(opening.path, "src/one.txt", "changed\n");
  await everyVerb(opening);
  expect(await canary()).toBe(null);
});

test("PR-12: nothing runs out of repositories inside the workspace, ignored or not", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  for (const directory of ["build/dependency", "vendored"]) {
    await mkdir(join(opening.path, directory), { recursive: true });
    await plainGit(join(opening.path, directory), "init", "-q");
    await plainGit(join(opening.path, directory), "config", "user.name", "N");
    await plainGit(join(opening.path, directory), "config", "user.email", "n@example.org");
    await put(join(opening.path, directory), "file.txt", "f\n");
    await real.commitInside(join(opening.path, directory), "nested");
    await poison(join(opening.path, directory, ".git"));
    await put(join(opening.path, directory), "file.txt", "dirty\n");
  }
  value(await real.workspaces.inspect(opening));
  expect(await real.workspaces.commit(commitOf(opening))).toMatchObject({ ok: false, failure: { kind: "task_exec" } });
  await rm(join(opening.path, "vendored"), { recursive: true });
  await everyVerb(opening);
  expect(await canary()).toBe(null);
});

test("PR-12: nothing runs out of a submodule's checkout; the submodule stays at its commit or the work is refused", async () => {
  const library = join(real.directory, "library");
  await put(library, "lib.txt", "lib\n");
  await plainGit(library, "init", "-q");
  await plainGit(library, "config", "user.name", "L");
  await plainGit(library, "config", "user.email", "l@example.org");
  await real.commitInside(library, "library");
  const commit = await plainGit(library, "rev-parse", "HEAD");
  await real.git("update-index", "--add", "--cacheinfo", `160000,${commit},lib`);
  await appendFile(join(real.checkout, ".gitmodules"), `[submodule "lib"]\n\tpath = lib\n\turl = ${library}\n`);
  await real.git("add", ".gitmodules");
  await real.git("-c", "core.fsmonitor=false", "commit", "-q", "-m", "submodule");
  const opening = await openSlot(real.workspaces, "task-1");
  const sub = join(opening.path, "lib");
  await plainGit(opening.path, "clone", "-q", library, "lib");
  await poison(join(sub, ".git"));
  await put(sub, "lib.txt", "dirty\n");
  await put(opening.path, "src/one.txt", "changed\n");
  await everyVerb(opening);
  expect(await canary()).toBe(null);
  expect(await real.git("ls-tree", "harness/mission-x", "lib")).toBe(`160000 commit ${commit}\tlib`);
  expect(await real.archives()).toBe(2);

  const moved = await openSlot(real.workspaces, "task-3", { fence: 4 });
  await plainGit(moved.path, "clone", "-q", library, "lib");
  await plainGit(
    join(moved.path, "lib"),
    "-c",
    "user.name=a",
    "-c",
    "user.email=b",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "moved",
  );
  const outcome = await real.workspaces.commit(commitOf(moved));
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "task_exec", message: expect.stringContaining("lib") } });
});

test("PR-12: work that would make somebody else's git run a command does not enter the repository", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  const update = await script("update");
  await put(opening.path, ".gitmodules", `[submodule "x"]\n\tpath = x\n\turl = ./x\n\tupdate = !${update}\n`);
  const outcome = await real.workspaces.commit(commitOf(opening));
  const message = expect.stringContaining("disallowed submodule update setting");
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "task_exec", message } });
  expect(await real.git("for-each-ref", "refs/harness/candidates")).toBe("");
});

test("PR-12: a program called git in the workspace is not taken for git, whatever PATH says", async () => {
  const opening = await openSlot(real.workspaces, "task-1");
  await rename(await script("fake"), join(opening.path, "git"));
  const { PATH } = process.env;
  process.env.PATH = `.:${PATH}`;
  try {
    expect(value(await real.workspaces.inspect(opening))).toMatchObject({ uncommitted: true });
  } finally {
    process.env.PATH = PATH;
  }
  expect(await canary()).toBe(null);
});
