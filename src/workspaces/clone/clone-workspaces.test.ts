import { expect, test, vi } from "vitest";
import { describeBranchKeeping } from "../branch-keeping.contract.ts";
import { describeConflicts } from "../conflict.contract.ts";
import { describeLeft } from "../left.contract.ts";
import { describePreparing } from "../prepare.contract.ts";
import { commitAndMerge, makeRealGit, openSlot, put } from "../real-git.fixture.ts";
import { describeStanding } from "../standing.contract.ts";
import { describeWorkspaces, value } from "../workspace.contract.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 30_000 });

describeWorkspaces("clone", () => makeRealGit());
describeBranchKeeping("clone", () => makeRealGit());
describePreparing("clone", () => makeRealGit());
describeConflicts("clone", () => makeRealGit());
describeLeft("clone", (files) => makeRealGit({ files }));
describeStanding("clone", () => makeRealGit());

test("a state root in a sub-directory works, with spaces and letters of the world in every path", async () => {
  const rootPrefix = "pakete/[eins] ü";
  const real = await makeRealGit({ name: "pröjekt mit Leer:zeichen '\"", rootPrefix });
  const opening = await openSlot(real.workspaces, "task-1");
  expect(await real.read(opening.path, "readme.md")).toBe("hello\n");
  for (const file of ["wörk.txt", "harness-tasks.json", ".harness/x", "ignored.txt"])
    await put(opening.path, file, "x\n");
  await put(opening.path, "../beside/harness-tasks.json", "not ours\n");
  expect(value(await real.workspaces.inspect(opening))).toMatchObject({ uncommitted: true, commits: false });
  const { candidate } = await commitAndMerge(real.workspaces, opening);
  const proof = value(await real.workspaces.proof({ slot: 0, commit: candidate.commit }));
  expect([await real.read(proof.path, "wörk.txt"), await real.read(proof.path, "ignored.txt")]).toEqual(["x\n", null]);
  value(await real.workspaces.close(opening.end));
  const { archive } = value(await real.workspaces.archive(opening.end));
  expect(await real.read(archive, "ignored.txt")).toBe("x\n");
  const args = ["-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "harness/mission-x"];
  expect((await real.git(...args)).split("\n")).toEqual([
    ".gitignore",
    `${rootPrefix}/readme.md`,
    `${rootPrefix}/wörk.txt`,
    "pakete/beside/harness-tasks.json",
  ]);
  await real.dispose();
});

test("a state root the mission branch does not have yet is made", async () => {
  const real = await makeRealGit({ rootPrefix: "not/yet" });
  await real.git("rm", "-q", "-r", "not");
  await real.git("commit", "-q", "-m", "gone");
  const opening = await openSlot(real.workspaces, "task-1");
  await put(opening.path, "first.txt", "1\n");
  await commitAndMerge(real.workspaces, opening);
  expect(await real.readAtHead("first.txt")).toBe("1\n");
  await real.dispose();
});
