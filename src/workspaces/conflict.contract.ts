// The part of the contract of workspaces that is about conflicts: work is brought onto the head, and repaired there (G5).
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Rebased } from "../protocol/conflict.ts";
import { messageOf, value } from "./workspace.contract.ts";
import type { Candidate, RebaseRequest, Workspaces } from "./workspace.ts";
import type { WorkspacesFixture } from "./world.fixture.ts";

/** An attempt in slot 1 that is in conflict over readme.md with task-1, which was merged meanwhile. */
interface Overtaken {
  readonly request: RebaseRequest;
  /** Of the merged commit. */
  readonly theirs: Candidate;
}

export function describeConflicts(name: string, makeFixture: () => Promise<WorkspacesFixture>): void {
  describe(`${name} keeps the contract of conflicts`, () => {
    let fixture: WorkspacesFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.dispose());

    const open = async (slot: number, task: string, fence: number): Promise<RebaseRequest> => {
      const opened = value(await fixture.workspaces.open({ slot, task, attempt: 1, fence }));
      if (opened.merged) throw new Error("merged already");
      return { path: opened.path, base: opened.base, task, attempt: 1, fence };
    };
    const commit = ({ path, base, task, attempt }: RebaseRequest, kept: string | null = null) =>
      fixture.workspaces.commit({ path, base, message: messageOf(task, attempt), kept });
    const commitAndMerge = async (request: RebaseRequest, kept: string | null = null): Promise<Candidate> => {
      const candidate = value(await commit(request, kept));
      const { task, attempt } = request;
      const merged = value(await fixture.workspaces.merge({ candidate, task, attempt }));
      expect(merged).toEqual({ merged: true, commit: candidate.commit });
      return candidate;
    };
    const overtake = async (mine: string | null = "mine\n", theirs: string | null = "theirs\n"): Promise<Overtaken> => {
      const [one, two] = [await open(0, "task-1", 1), await open(1, "task-2", 2)];
      for (const [{ path }, text] of [[one, theirs] as const, [two, mine] as const])
        await (text === null ? fixture.remove(path, "readme.md") : fixture.write(path, "readme.md", text));
      await fixture.write(one.path, "one.txt", "1\n");
      await fixture.write(two.path, "two.txt", "2\n");
      await fixture.write(two.path, "ignored.txt", "i\n");
      return { theirs: await commitAndMerge(one), request: two };
    };
    const rebase = async (request: RebaseRequest, workspaces: Workspaces = fixture.workspaces): Promise<Rebased> =>
      value(await workspaces.rebase(request));
    const linesOf = async (path: string): Promise<readonly string[]> =>
      ((await fixture.read(path, "readme.md")) ?? "").split("\n").filter((line) => line !== "");
    const words = (lines: readonly string[]): readonly string[] => lines.map((line) => line.split(" ")[0] ?? "");

    test("G5: the work is on the new head, both sides in the file, and the answer tells what others did", async () => {
      const { request, theirs } = await overtake();
      const rebased = await rebase(request);
      const { kept, tree } = rebased;
      expect(rebased).toEqual({
        base: theirs.commit,
        kept,
        tree,
        files: [{ path: "readme.md", marked: true }],
        fileCount: 1,
        others: [{ commit: theirs.commit, task: "task-1", subject: "task-1: work" }],
      });
      const { path } = request;
      expect(words(await linesOf(path))).toEqual(["<<<<<<<", "theirs", "=======", "mine", ">>>>>>>"]);
      expect([await fixture.read(path, "one.txt"), await fixture.read(path, "two.txt")]).toEqual(["1\n", "2\n"]);
      const seen = value(await fixture.workspaces.inspect({ path, base: rebased.base }));
      expect(seen).toEqual({ uncommitted: true, commits: false, tree });
    });

    test("PR-3: the workspace as it was is put away whole, ignored files too", async () => {
      const { request } = await overtake();
      await rebase(request);
      expect(await fixture.archives()).toBe(1);
      const { archive } = value(await fixture.workspaces.archive({ ...request, fence: 3 }));
      expect(await fixture.archives()).toBe(2);
      const before = archive.replace(/-2$/, "");
      const files = ["readme.md", "two.txt", "ignored.txt"];
      expect(await Promise.all(files.map((file) => fixture.read(before, file)))).toEqual(["mine\n", "2\n", "i\n"]);
    });

    test("G5: asked again, by another process or with a higher fence, it answers the same and does nothing", async () => {
      const { request } = await overtake();
      const first = await rebase(request);
      const again = await rebase(request, fixture.secondProcess());
      const adopted = await rebase({ ...request, fence: 9 });
      expect([again, adopted]).toEqual([first, first]);
      expect(await fixture.archives()).toBe(1);
    });

    test("PR-4: a request with a lower fence moves nothing", async () => {
      const { request } = await overtake();
      await rebase({ ...request, fence: 9 });
      const before = await linesOf(request.path);
      expect(await fixture.workspaces.rebase(request)).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
      expect([await linesOf(request.path), await fixture.archives()]).toEqual([before, 1]);
    });

    test("G5: markers that are left are found, in whatever commit; once they are gone the work merges", async () => {
      const { request } = await overtake();
      const { base, kept } = await rebase(request);
      const repaired = { ...request, base };
      const left = { ok: false, failure: { kind: "unresolved" } };
      expect(await commit(repaired, kept)).toMatchObject(left);
      await fixture.commitInside(request.path, "all is resolved");
      const again = await commit(repaired, kept);
      expect(again).toMatchObject(left);
      expect(again.ok ? "" : again.failure.message).toContain("readme.md");
      await fixture.write(request.path, "readme.md", "theirs\n=======\nmine\n");
      expect(await commit(repaired, kept)).toMatchObject(left);
      await fixture.write(request.path, "readme.md", "theirs and mine\n");
      await commitAndMerge(repaired, kept);
      const files = ["readme.md", "one.txt", "two.txt"];
      const merged = await Promise.all(files.map((file) => fixture.readAtHead(file)));
      expect(merged).toEqual(["theirs and mine\n", "1\n", "2\n"]);
      expect(await fixture.log()).toEqual(["task-1: work", "task-2: work"]);
    });

    test("G5: a line that looks like a marker and was there on either side is no marker", async () => {
      const { request } = await overtake("Mine\n=======\n", "<<<<<<< is what git writes\n");
      const { base, kept } = await rebase(request);
      await fixture.write(request.path, "readme.md", "Mine\n=======\n<<<<<<< is what git writes\n");
      await commitAndMerge({ ...request, base }, kept);
    });

    test("G5: a file that one side removed is in conflict without markers, and stands as the other has it", async () => {
      const { request } = await overtake(null);
      const rebased = await rebase(request);
      expect(rebased.files).toEqual([{ path: "readme.md", marked: false }]);
      expect(await fixture.read(request.path, "readme.md")).toBe("theirs\n");
      await fixture.remove(request.path, "readme.md");
      await commitAndMerge({ ...request, base: rebased.base }, rebased.kept);
      expect(await fixture.readAtHead("readme.md")).toBe(null);
    });

    test("G5: work that goes together with the new head is simply there", async () => {
      const { request, theirs } = await overtake("hello\n");
      const rebased = await rebase(request);
      expect(rebased).toMatchObject({ base: theirs.commit, files: [], fileCount: 0, others: [] });
      await commitAndMerge({ ...request, base: rebased.base }, rebased.kept);
    });

    test("G5: what others merge during a repair is a conflict of its own, and repaired in the same way", async () => {
      const { request } = await overtake();
      const first = await rebase(request);
      await fixture.write(request.path, "readme.md", "theirs and mine\n");
      const third = await open(0, "task-3", 5);
      await fixture.write(third.path, "readme.md", "third\n");
      await commitAndMerge(third);
      const repaired = { ...request, base: first.base };
      const conflict = await commit(repaired, first.kept);
      expect(conflict).toMatchObject({ ok: false, failure: { kind: "merge_conflict" } });
      const second = await rebase(repaired);
      expect(second.others.map(({ task }) => task)).toEqual(["task-3"]);
      expect(await linesOf(request.path)).toEqual(expect.arrayContaining(["third", "theirs and mine"]));
      await fixture.write(request.path, "readme.md", "all three\n");
      await commitAndMerge({ ...request, base: second.base }, second.kept);
      expect(await fixture.readAtHead("readme.md")).toBe("all three\n");
    });

    test("G5: a conflict says which commits touched the same files", async () => {
      const { request } = await overtake();
      const outcome = await commit(request);
      expect(outcome.ok ? "" : outcome.failure.evidence).toContain("task-1: work");
    });
  });
}
