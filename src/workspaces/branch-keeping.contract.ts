// What every workspace variant must do to keep the two branches together, as one suite.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommitId, TaskId } from "../protocol/ids.ts";
import type { Candidate } from "./branch-keeping.ts";
import { messageOf, value } from "./workspace.contract.ts";
import type { WorkspacesFixture } from "./world.fixture.ts";

/** As for the workspaces, with a user beside them. */
export interface BranchFixture extends WorkspacesFixture {
  /** The user commits to the branch that the mission was cut from, which is checked out. */
  userCommits(file: string, text: string): Promise<CommitId>;
  /** A file of the user's checkout. */
  userReads(file: string): Promise<string | null>;
}

export function describeBranchKeeping(name: string, makeFixture: () => Promise<BranchFixture>): void {
  describe(`${name} keeps the mission branch and the user's together`, () => {
    let fixture: BranchFixture;
    let fences = 0;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.dispose());

    const headOf = (files: readonly string[]) => Promise.all(files.map((file) => fixture.readAtHead(file)));
    const readAll = (path: string, files: readonly string[]) =>
      Promise.all(files.map((file) => fixture.read(path, file)));
    const mergeFile = async (slot: number, task: TaskId, file: string, text = `${file}\n`): Promise<Candidate> => {
      fences += 1;
      const opened = value(await fixture.workspaces.open({ slot, task, attempt: 1, fence: fences }));
      if (opened.merged) throw new Error(`merged already as ${opened.commit}`);
      await fixture.write(opened.path, file, text);
      const candidate = value(await fixture.workspaces.commit({ ...opened, message: messageOf(task, 1) }));
      value(await fixture.workspaces.merge({ candidate, task, attempt: 1 }));
      value(await fixture.workspaces.close({ path: opened.path, task, attempt: 1, fence: fences }));
      return candidate;
    };
    const all = { mission: "m", tasks: null, squash: false, branch: null, otherwise: "checked-out" } as const;
    const unseen = { branch: null, tried: null };
    const trial = async (tried: CommitId | null = null) =>
      value(await fixture.workspaces.trial({ branch: null, tried }));

    test("G5: as long as the user's branch is as it was, there is nothing to catch up with", async () => {
      expect(await trial()).toEqual({ end: "current" });
      await mergeFile(0, "task-1", "a.txt");
      expect(await trial()).toEqual({ end: "current" });
    });

    test("G5: the user's commits come into the mission branch only when the trial is taken", async () => {
      await mergeFile(0, "task-1", "a.txt");
      const theirs = await fixture.userCommits("mine.txt", "mine\n");
      const tried = await trial();
      if (tried.end !== "merged") throw new Error(tried.end);
      expect([tried.theirs, await fixture.readAtHead("mine.txt")]).toEqual([theirs, null]);
      const proof = value(await fixture.workspaces.proof({ slot: 0, commit: tried.candidate.commit }));
      expect(await readAll(proof.path, ["a.txt", "mine.txt"])).toEqual(["a.txt\n", "mine\n"]);
      expect(await fixture.workspaces.catchUp(tried.candidate)).toEqual({ ok: true, value: true });
      expect(await headOf(["a.txt", "mine.txt"])).toEqual(["a.txt\n", "mine\n"]);
      expect(await fixture.workspaces.catchUp(tried.candidate)).toEqual({ ok: true, value: true });
      expect(await trial()).toEqual({ end: "current" });
    });

    test("G5: a trial that others overtook moves nothing", async () => {
      await mergeFile(0, "task-1", "a.txt");
      await fixture.userCommits("mine.txt", "mine\n");
      const tried = await trial();
      if (tried.end !== "merged") throw new Error(tried.end);
      await mergeFile(0, "task-2", "b.txt");
      expect(await fixture.workspaces.catchUp(tried.candidate)).toEqual({ ok: true, value: false });
      expect(await headOf(["b.txt", "mine.txt"])).toEqual(["b.txt\n", null]);
    });

    test("G5: a conflict is answered, once for each commit of the user's", async () => {
      await mergeFile(0, "task-1", "a.txt");
      const theirs = await fixture.userCommits("a.txt", "mine\n");
      expect(await trial()).toEqual({ end: "conflict", theirs, why: "both changed a.txt" });
      expect(await trial(theirs)).toEqual({ end: "current" });
      expect(await fixture.readAtHead("a.txt")).toBe("a.txt\n");
      const next = await fixture.userCommits("mine.txt", "mine\n");
      expect(await trial(theirs)).toMatchObject({ end: "conflict", theirs: next });
    });

    test("G5, V3: work is accepted once, and found when it is asked for again", async () => {
      await mergeFile(0, "task-1", "a.txt");
      await fixture.userCommits("mine.txt", "mine\n");
      const accepted = value(await fixture.workspaces.accept(all));
      expect(accepted).toMatchObject({ how: "merge", branch: "main", tasks: ["task-1"] });
      expect(await Promise.all([fixture.userReads("a.txt"), fixture.userReads("mine.txt")])).toEqual([
        "a.txt\n",
        "mine\n",
      ]);
      const { commit } = accepted;
      const present = { how: "present", branch: "main", commit, tasks: ["task-1"] };
      expect(value(await fixture.workspaces.accept(all))).toEqual(present);
      await mergeFile(0, "task-2", "b.txt");
      expect(value(await fixture.workspaces.accept(all))).toMatchObject({ how: "merge", tasks: ["task-2"] });
    });

    test("G5: with nothing of the user's between, acceptance is a fast-forward, and there is nothing to catch up with", async () => {
      await mergeFile(0, "task-1", "a.txt");
      const { commit } = await mergeFile(0, "task-2", "b.txt");
      expect(value(await fixture.workspaces.accept(all))).toEqual({
        how: "fast-forward",
        branch: "main",
        commit,
        tasks: ["task-1", "task-2"],
      });
      expect(value(await fixture.workspaces.trial(unseen))).toEqual({ end: "current" });
    });

    test("G5, PR-3: work that is dropped leaves the mission branch by one more commit, once, and comes to nobody", async () => {
      const candidate = await mergeFile(0, "task-1", "a.txt");
      const { commit } = candidate;
      await mergeFile(0, "task-2", "b.txt");
      const dropped = value(await fixture.workspaces.drop({ commit, message: "Drop task-1" }));
      expect(await headOf(["a.txt", "b.txt"])).toEqual([null, "b.txt\n"]);
      expect(value(await fixture.workspaces.drop({ commit, message: "Drop task-1" }))).toEqual(dropped);
      // It was merged, and is not merged again.
      const again = { candidate, task: "task-1", attempt: 1 };
      expect(value(await fixture.workspaces.merge(again))).toEqual({ merged: true, commit });
      value(await fixture.workspaces.accept(all));
      expect(await Promise.all([fixture.userReads("a.txt"), fixture.userReads("b.txt")])).toEqual([null, "b.txt\n"]);
    });

    test("G5: work that later work builds on is not dropped, and nothing changes", async () => {
      const { commit } = await mergeFile(0, "task-1", "a.txt");
      await mergeFile(0, "task-2", "a.txt", "other\n");
      expect(await fixture.workspaces.drop({ commit, message: "Drop task-1" })).toMatchObject({
        ok: false,
        failure: { kind: "merge_conflict", message: "later work builds on it: a.txt" },
      });
      expect(await headOf(["a.txt"])).toEqual(["other\n"]);
    });

    test("G5: a conflict with the user's branch is refused and changes nothing", async () => {
      await mergeFile(0, "task-1", "a.txt");
      await fixture.userCommits("a.txt", "mine\n");
      expect(await fixture.workspaces.accept(all)).toMatchObject({ ok: false, failure: { kind: "merge_conflict" } });
      expect(await fixture.userReads("a.txt")).toBe("mine\n");
    });
  });
}
