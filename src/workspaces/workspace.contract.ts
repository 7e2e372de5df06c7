// What every workspace variant must do, as one suite. A variant brings a fixture that plays agent and user.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Outcome } from "../protocol/failure.ts";
import type { CommitId, TaskId } from "../protocol/ids.ts";
import type { ArchiveRequest, Candidate, OpenRequest } from "./workspace.ts";
import { apart, type MakeFixture, type WorkspacesFixture } from "./world.fixture.ts";

export const messageOf = (task: TaskId, attempt: number): string =>
  `${task}: work\n\nHarness-Task: ${task}\nHarness-Attempt: ${attempt}\n`;

export function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.failure.kind}: ${outcome.failure.message}`);
  return outcome.value;
}

interface Claimed {
  readonly path: string;
  readonly base: CommitId;
  readonly request: OpenRequest;
  /** For `archive` and `close`. */
  readonly end: ArchiveRequest;
}

export function describeWorkspaces(name: string, makeFixture: MakeFixture, { inPlace } = apart): void {
  const testSideBySide = test.skipIf(inPlace);
  /** A second lane where there is one; else the same, one task after the other. */
  const other = inPlace ? 0 : 1;
  describe(`${name} keeps the contract of workspaces`, () => {
    let fixture: WorkspacesFixture;
    let fences = 0;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.dispose());

    const openWith = async (request: OpenRequest, workspaces = fixture.workspaces): Promise<Claimed> => {
      const opened = value(await workspaces.open(request));
      if (opened.merged) throw new Error(`merged already as ${opened.commit}`);
      const { task, attempt, fence } = request;
      return { path: opened.path, base: opened.base, request, end: { path: opened.path, task, attempt, fence } };
    };
    const open = (slot: number, task: TaskId, attempt = 1): Promise<Claimed> => {
      fences += 1;
      return openWith({ slot, task, attempt, fence: fences });
    };
    const inspect = async ({ path, base }: Claimed) => value(await fixture.workspaces.inspect({ path, base }));
    const commit = async ({ path, base, request }: Claimed): Promise<Candidate> =>
      value(await fixture.workspaces.commit({ path, base, message: messageOf(request.task, request.attempt) }));
    const merge = async (candidate: Candidate, { request: { task, attempt } }: Claimed) =>
      value(await fixture.workspaces.merge({ candidate, task, attempt }));
    const mergeFile = async (slot: number, task: TaskId, file: string): Promise<Claimed & Candidate> => {
      const claimed = await open(slot, task);
      await fixture.write(claimed.path, file, `${file}\n`);
      const candidate = await commit(claimed);
      expect(await merge(candidate, claimed)).toEqual({ merged: true, commit: candidate.commit });
      expect(await fixture.workspaces.close(claimed.end)).toEqual({ ok: true, value: null });
      return { ...claimed, ...candidate };
    };
    const ignoredOf = (archive: string, { path }: Pick<Claimed, "path">): string => (inPlace ? path : archive);
    const readAll = (path: string, files: readonly string[]) =>
      Promise.all(files.map((file) => fixture.read(path, file)));
    const headOf = (files: readonly string[]) => Promise.all(files.map((file) => fixture.readAtHead(file)));

    test("an opened workspace holds the mission head, known before, and shows no work", async () => {
      const head = value(await fixture.workspaces.head());
      const claimed = await open(0, "task-1");
      const evidence = await inspect(claimed);
      expect(await fixture.read(claimed.path, "readme.md")).toBe("hello\n");
      expect(evidence).toEqual({ uncommitted: false, commits: false, tree: evidence.tree });
      expect([await fixture.archives(), claimed.base]).toEqual([0, head]);
    });

    test("the same request for an untouched slot, or one with a higher fence, answers the same", async () => {
      const first = await open(0, "task-1");
      const again = await openWith(first.request, fixture.secondProcess());
      const adopted = await open(0, "task-1");
      const places = [first, again, adopted].map(({ path, base }) => ({ path, base }));
      expect(places).toEqual([places[0], places[0], places[0]]);
      expect(await fixture.archives()).toBe(0);
    });

    test("PR-3: what an earlier attempt left in a slot is archived before the slot is given again", async () => {
      const first = await open(0, "task-1");
      await fixture.write(first.path, "half.txt", "half\n");
      const second = await open(0, "task-1", 2);
      const { archive } = value(await fixture.workspaces.archive({ ...second.end, attempt: 1 }));
      expect([second.path, second.base]).toEqual([first.path, first.base]);
      expect(await fixture.read(second.path, "half.txt")).toBe(null);
      expect(await fixture.read(archive, "half.txt")).toBe("half\n");
      expect(await fixture.archives()).toBe(1);
    });

    test("PR-3: a repeated open never hands out a slot in which work was begun", async () => {
      const first = await open(0, "task-1");
      const file = inPlace ? "begun.txt" : "ignored.txt";
      await fixture.write(first.path, file, "begun\n");
      const again = await openWith(first.request);
      expect(await fixture.read(again.path, file)).toBe(null);
      expect(await fixture.archives()).toBe(1);
    });

    test("an untouched slot whose base is no longer the head is not given again as it is", async () => {
      await open(0, "task-1");
      const merged = await mergeFile(other, "task-2", "two.txt");
      const again = await open(0, "task-1");
      expect(again.base).toBe(merged.commit);
      expect(await fixture.read(again.path, "two.txt")).toBe("two.txt\n");
    });

    test("evidence tells uncommitted work from commits, and equal trees by equal ids", async () => {
      const claimed = await open(0, "task-1");
      const clean = await inspect(claimed);
      await fixture.write(claimed.path, "new.txt", "new\n");
      const dirty = await inspect(claimed);
      await fixture.commitInside(claimed.path, "mine");
      const committed = await inspect(claimed);
      await fixture.write(claimed.path, "ignored.txt", "not work\n");
      const withIgnored = await inspect(claimed);
      await fixture.write(claimed.path, "new.txt", "newer\n");
      const both = await inspect(claimed);
      expect([clean, dirty, committed, withIgnored, both]).toEqual([
        { uncommitted: false, commits: false, tree: clean.tree },
        { uncommitted: true, commits: false, tree: dirty.tree },
        { uncommitted: false, commits: true, tree: dirty.tree },
        { uncommitted: false, commits: true, tree: dirty.tree },
        { uncommitted: true, commits: true, tree: both.tree },
      ]);
      expect(new Set([clean.tree, dirty.tree, both.tree]).size).toBe(3);
    });

    test("a file put back as it was is no work", async () => {
      const claimed = await open(0, "task-1");
      const clean = await inspect(claimed);
      await fixture.write(claimed.path, "readme.md", "other\n");
      await fixture.write(claimed.path, "readme.md", "hello\n");
      expect(await inspect(claimed)).toEqual(clean);
    });

    test("a candidate takes commits, changes, additions and removals, not ignored files; the workspace stays", async () => {
      const claimed = await open(0, "task-1");
      await fixture.write(claimed.path, "committed.txt", "c\n");
      await fixture.commitInside(claimed.path, "mine");
      await fixture.write(claimed.path, "deep/er/new.txt", "n\n");
      await fixture.write(claimed.path, "ignored.txt", "i\n");
      await fixture.remove(claimed.path, "readme.md");
      const before = await inspect(claimed);
      const candidate = await commit(claimed);
      expect(candidate).toEqual({ commit: candidate.commit, parent: claimed.base });
      expect(await inspect(claimed)).toEqual(before);
      expect(await merge(candidate, claimed)).toEqual({ merged: true, commit: candidate.commit });
      const files = ["committed.txt", "deep/er/new.txt", "ignored.txt", "readme.md"];
      expect(await headOf(files)).toEqual(["c\n", "n\n", null, null]);
      expect(await fixture.log()).toEqual(["task-1: work"]);
    });

    test("no work gives an empty candidate that merges", async () => {
      const claimed = await open(0, "task-1");
      const candidate = await commit(claimed);
      expect(await merge(candidate, claimed)).toEqual({ merged: true, commit: candidate.commit });
      expect(await headOf(["readme.md"])).toEqual(["hello\n"]);
    });

    test("the harness's own files never enter a candidate", async () => {
      const claimed = await open(0, "task-1");
      const own = ["harness-tasks.json", "harness-tasks.json.bak", "harness-progress.txt", ".harness-active"];
      const files = [...own, ".harness/views/status.json", "nested/harness-tasks.json"];
      for (const file of files) await fixture.write(claimed.path, file, "x\n");
      await merge(await commit(claimed), claimed);
      expect(await headOf(files)).toEqual([null, null, null, null, null, "x\n"]);
    });

    test("a proof holds exactly the candidate, also when its slot is used again", async () => {
      const claimed = await open(0, "task-1");
      await fixture.write(claimed.path, "a.txt", "a\n");
      await fixture.write(claimed.path, "ignored.txt", "i\n");
      const first = await commit(claimed);
      const proof = value(await fixture.workspaces.proof({ slot: 0, commit: first.commit }));
      expect(proof.path).not.toBe(claimed.path);
      const files = ["a.txt", "b.txt", "ignored.txt", "readme.md"];
      expect(await readAll(proof.path, files)).toEqual(["a\n", null, null, "hello\n"]);
      await fixture.write(proof.path, "ignored.txt", "left by a gate\n");
      await fixture.write(proof.path, "readme.md", "spoilt by a gate\n");
      await fixture.remove(claimed.path, "a.txt");
      await fixture.write(claimed.path, "b.txt", "b\n");
      const second = await commit(claimed);
      expect(value(await fixture.workspaces.proof({ slot: 0, commit: second.commit }))).toEqual(proof);
      expect(await readAll(proof.path, files)).toEqual([null, "b\n", null, "hello\n"]);
    });

    testSideBySide(
      "V3, PR-5: of two candidates on one head one merges; the other commits again and merges after it",
      async () => {
        const [one, two] = [await open(0, "task-1"), await open(1, "task-2")];
        await fixture.write(one.path, "one.txt", "1\n");
        await fixture.write(two.path, "two.txt", "2\n");
        const [first, stale] = [await commit(one), await commit(two)];
        expect(await merge(first, one)).toEqual({ merged: true, commit: first.commit });
        expect(await merge(stale, two)).toEqual({ merged: false });
        const fresh = await commit(two);
        expect(fresh.parent).toBe(first.commit);
        expect(await merge(fresh, two)).toEqual({ merged: true, commit: fresh.commit });
        expect(await fixture.log()).toEqual(["task-1: work", "task-2: work"]);
        expect(await headOf(["one.txt", "two.txt"])).toEqual(["1\n", "2\n"]);
      },
    );

    testSideBySide(
      "V3, PR-5: of candidates merged at the same moment exactly one wins, none of them twice",
      async () => {
        const claims = [await open(0, "task-1"), await open(1, "task-2"), await open(2, "task-3")];
        const candidates = await Promise.all(claims.map(commit));
        const outcomes = await Promise.all(
          [...claims, ...claims].map(({ request: { task, attempt } }, i) => {
            const candidate = candidates[i % claims.length];
            if (candidate === undefined) throw new Error("no candidate");
            return fixture.secondProcess().merge({ candidate, task, attempt });
          }),
        );
        const merged = outcomes.map(value).filter((outcome) => outcome.merged);
        expect(new Set(merged.map(({ commit }) => commit)).size).toBe(1);
        expect(await fixture.log()).toHaveLength(1);
      },
    );

    testSideBySide("work that does not apply to the new head is a merge conflict that names the file", async () => {
      const [one, two] = [await open(0, "task-1"), await open(1, "task-2")];
      await fixture.write(one.path, "readme.md", "one\n");
      await fixture.write(two.path, "readme.md", "two\n");
      await merge(await commit(one), one);
      const outcome = await fixture.workspaces.commit({ ...two, message: messageOf("task-2", 1) });
      expect(outcome).toMatchObject({ ok: false, failure: { kind: "merge_conflict" } });
      expect(outcome.ok ? "" : outcome.failure.message).toContain("readme.md");
      expect(await fixture.read(two.path, "readme.md")).toBe("two\n");
    });

    test("V3, PR-5: merging the same candidate again, from another process too, answers merged and adds nothing", async () => {
      const claimed = await open(0, "task-1");
      const candidate = await commit(claimed);
      const request = { candidate, task: "task-1", attempt: 1 };
      const first = value(await fixture.workspaces.merge(request));
      const again = value(await fixture.secondProcess().merge(request));
      await mergeFile(other, "task-2", "two.txt");
      const late = value(await fixture.workspaces.merge(request));
      const merged = { merged: true, commit: candidate.commit };
      expect({ first, again, late }).toEqual({ first: merged, again: merged, late: merged });
      expect(await fixture.log()).toEqual(["task-1: work", "task-2: work"]);
    });

    test("V3, PR-5: a task of which any attempt is in the branch is answered as merged, by merge and by open", async () => {
      const claimed = await open(0, "task-1");
      await fixture.write(claimed.path, "a.txt", "a\n");
      const first = await commit(claimed);
      await merge(first, claimed);
      const merged = { merged: true, commit: first.commit };
      expect(await merge(await commit(claimed), claimed)).toEqual(merged);
      const second = { ...claimed, request: { ...claimed.request, attempt: 2 } };
      expect(await merge(await commit(second), second)).toEqual(merged);
      fences += 1;
      const reopened = await fixture.workspaces.open({ slot: other, task: "task-1", attempt: 2, fence: fences });
      expect(reopened).toEqual({ ok: true, value: merged });
      await mergeFile(other, "task-10", "ten.txt");
      expect(await fixture.log()).toEqual(["task-1: work", "task-10: work"]);
    });

    const goOnWith = (resume: Candidate) =>
      openWith({ slot: other, task: "task-1", attempt: 2, fence: ++fences, resume });
    const failedWork = async (): Promise<Candidate> => {
      const first = await open(0, "task-1");
      await fixture.write(first.path, "readme.md", "changed\n");
      await fixture.write(first.path, "new.txt", "new\n");
      const candidate = await commit(first);
      value(await fixture.workspaces.archive(first.end));
      return candidate;
    };

    test("A1: an attempt that goes on with an earlier one finds its work, uncommitted, on the present head", async () => {
      const candidate = await failedWork();
      const other = await mergeFile(0, "task-2", "other.txt");
      const second = await goOnWith(candidate);
      expect(second.base).toBe(other.commit);
      const files = ["changed\n", "new\n", "other.txt\n"];
      expect(await readAll(second.path, ["readme.md", "new.txt", "other.txt"])).toEqual(files);
      expect(await inspect(second)).toMatchObject({ uncommitted: true, commits: false });
      // Nothing was done there yet: asked again, the same place is given.
      expect((await openWith(second.request)).path).toBe(second.path);
      expect(await fixture.archives()).toBe(1);
      const merged = await merge(await commit(second), second);
      expect([merged.merged, await headOf(["readme.md", "new.txt"])]).toEqual([true, ["changed\n", "new\n"]]);
    });

    test("A1: work that no longer applies is left out whole: the attempt starts from the head", async () => {
      const candidate = await failedWork();
      const other = await open(0, "task-2");
      await fixture.write(other.path, "readme.md", "theirs\n");
      await merge(await commit(other), other);
      const second = await goOnWith(candidate);
      expect(await readAll(second.path, ["readme.md", "new.txt"])).toEqual(["theirs\n", null]);
      expect(await inspect(second)).toMatchObject({ uncommitted: false, commits: false });
    });

    test("PR-4: a request with a lower fence opens nothing and leaves the slot alone", async () => {
      const stale = await open(0, "task-1");
      const owner = await open(0, "task-1");
      await fixture.write(owner.path, "work.txt", "w\n");
      expect(await fixture.workspaces.open(stale.request)).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
      expect(await fixture.workspaces.archive(stale.end)).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
      expect(await fixture.workspaces.close(stale.end)).toEqual({ ok: true, value: null });
      expect(await fixture.read(owner.path, "work.txt")).toBe("w\n");
      expect(await fixture.archives()).toBe(0);
    });

    test("PR-4: a slot remembers its highest fence after it was given back", async () => {
      const stale = await open(0, "task-1");
      const owner = await open(0, "task-1");
      await fixture.workspaces.close(owner.end);
      const late = await fixture.secondProcess().open(stale.request);
      expect(late).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
    });

    test("PR-3: an archive is whole, frees the slot, and archiving again answers the same", async () => {
      const { path, end } = await open(0, "task-1");
      await fixture.write(path, "work.txt", "w\n");
      await fixture.write(path, "ignored.txt", "i\n");
      const first = value(await fixture.workspaces.archive(end));
      const again = value(await fixture.secondProcess().archive(end));
      const other = await open(0, "task-2");
      const late = value(await fixture.workspaces.archive(end));
      expect({ again, late }).toEqual({ again: first, late: first });
      const kept = [
        fixture.read(first.archive, "work.txt"),
        fixture.read(ignoredOf(first.archive, { path }), "ignored.txt"),
      ];
      expect(await Promise.all(kept)).toEqual(["w\n", "i\n"]);
      expect(await fixture.read(other.path, "readme.md")).toBe("hello\n");
      expect(await fixture.archives()).toBe(1);
    });

    test("archiving an attempt of which nothing is there answers an empty archive, the same each time", async () => {
      const { path, request } = await open(0, "task-1");
      const end = { path, task: "task-2", attempt: 1, fence: request.fence };
      const first = value(await fixture.workspaces.archive(end));
      expect(value(await fixture.workspaces.archive(end))).toEqual(first);
      expect(await fixture.read(path, "readme.md")).toBe("hello\n");
    });

    test("PR-20: close after a merge frees the slot and keeps nothing when the candidate holds every byte", async () => {
      await mergeFile(0, "task-1", "a.txt");
      expect(await fixture.archives()).toBe(0);
      const next = await open(0, "task-2");
      expect(await fixture.read(next.path, "a.txt")).toBe("a.txt\n");
    });

    test("PR-20: close keeps ignored bytes nothing else holds, once", async () => {
      const claimed = await open(0, "task-1");
      await fixture.write(claimed.path, "ignored.txt", "secret\n");
      await merge(await commit(claimed), claimed);
      expect(await fixture.workspaces.close(claimed.end)).toEqual({ ok: true, value: null });
      expect(await fixture.secondProcess().close(claimed.end)).toEqual({ ok: true, value: null });
      const { archive } = value(await fixture.workspaces.archive(claimed.end));
      expect(await fixture.read(ignoredOf(archive, claimed), "ignored.txt")).toBe("secret\n");
      expect(await fixture.archives()).toBe(1);
    });

    test("PR-20: close keeps work that came after the merged candidate", async () => {
      const claimed = await open(0, "task-1");
      await merge(await commit(claimed), claimed);
      await fixture.write(claimed.path, "late.txt", "late\n");
      await fixture.workspaces.close(claimed.end);
      const { archive } = value(await fixture.workspaces.archive(claimed.end));
      expect(await fixture.read(inPlace ? claimed.path : archive, "late.txt")).toBe("late\n");
    });

    test.skipIf(inPlace)("PR-20: close archives commits of the agent's that the candidate does not hold", async () => {
      const claimed = await open(0, "task-1");
      await fixture.write(claimed.path, "first.txt", "first try\n");
      await fixture.commitInside(claimed.path, "first try");
      await fixture.remove(claimed.path, "first.txt");
      await fixture.write(claimed.path, "second.txt", "second try\n");
      await fixture.commitInside(claimed.path, "second try");
      await merge(await commit(claimed), claimed);
      await fixture.workspaces.close(claimed.end);
      expect(await fixture.archives()).toBe(1);
    });

    test("PR-20: a late close or archive of an earlier attempt leaves the slot's next owner alone", async () => {
      const earlier = await mergeFile(0, "task-1", "a.txt");
      const next = await open(0, "task-2");
      await fixture.write(next.path, "b.txt", "b\n");
      expect(await fixture.workspaces.close(earlier.end)).toEqual({ ok: true, value: null });
      await fixture.workspaces.archive(earlier.end);
      expect(await fixture.read(next.path, "b.txt")).toBe("b\n");
    });

    test("a path that is no workspace is refused, not guessed", async () => {
      const { base } = await open(0, "task-1");
      const outcome = await fixture.workspaces.inspect({ path: "/nowhere/at/all", base });
      expect(outcome).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
    });
  });
}
