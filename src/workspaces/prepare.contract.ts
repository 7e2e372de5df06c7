// What every workspace variant must do about set-up and slots that are used again (A1, A4), as one suite.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failed, succeeded } from "../protocol/failure.ts";
import { messageOf, value } from "./workspace.contract.ts";
import type { WorkspacesFixture } from "./world.fixture.ts";

const request = { inputs: ["readme.md"], salt: "install" };

export function describePreparing(name: string, makeFixture: () => Promise<WorkspacesFixture>): void {
  describe(`${name} keeps the contract of prepared slots`, () => {
    let fixture: WorkspacesFixture;
    let fence = 0;
    let runs = 0;
    beforeEach(async () => {
      fixture = await makeFixture();
      runs = 0;
    });
    afterEach(() => fixture.dispose());

    const open = async (task: string, { slot = 0, attempt = 1 } = {}) => {
      fence += 1;
      const opened = value(await fixture.workspaces.open({ slot, task, attempt, fence }));
      if (opened.merged) throw new Error(`merged already as ${opened.commit}`);
      return { ...opened, end: { path: opened.path, task, attempt, fence } };
    };
    type Place = Awaited<ReturnType<typeof open>>;
    const commit = async ({ path, base, end }: Place) =>
      value(await fixture.workspaces.commit({ path, base, message: messageOf(end.task, end.attempt) }));
    const finish = async (place: Place) => {
      const candidate = await commit(place);
      await fixture.workspaces.merge({ candidate, ...place.end });
      value(await fixture.workspaces.close(place.end));
      return candidate;
    };
    /** A set-up that leaves an ignored file and a directory nobody ignores. */
    const prepare = (path: string, changed: Partial<typeof request> = {}, workspaces = fixture.workspaces) =>
      workspaces.prepare({ path, fence, ...request, ...changed }, async () => {
        runs += 1;
        await fixture.write(path, "made/tool.txt", `tool ${runs}\n`);
        await fixture.write(path, "ignored.txt", `ignored ${runs}\n`);
        return succeeded(null);
      });
    const prepared = async (path: string, changed: Partial<typeof request> = {}) =>
      value(await prepare(path, changed)).made;
    const madeIn = (path: string) => Promise.all(["made/tool.txt", "ignored.txt"].map((f) => fixture.read(path, f)));

    test("A1: a slot is set up once; asked again, also by another process, nothing is made", async () => {
      const { path } = await open("task-1");
      expect([await prepared(path), await prepared(path)]).toEqual([true, false]);
      expect(value(await prepare(path, {}, fixture.secondProcess()))).toEqual({ made: false });
      expect([runs, await madeIn(path)]).toEqual([1, ["tool 1\n", "ignored 1\n"]]);
    });

    test("A1: what was made is no work: it shows none, is in no candidate, and closing keeps nothing of it", async () => {
      const first = await open("task-1");
      await prepared(first.path);
      const evidence = value(await fixture.workspaces.inspect(first));
      expect(evidence).toEqual({ uncommitted: false, commits: false, tree: evidence.tree });
      await fixture.write(first.path, "a.txt", "a\n");
      await fixture.write(first.path, "made/cache.txt", "an agent's\n");
      await finish(first);
      const files = ["a.txt", "made/tool.txt", "made/cache.txt", "ignored.txt"];
      expect(await Promise.all(files.map((file) => fixture.readAtHead(file)))).toEqual(["a\n", null, null, null]);
      expect(await fixture.archives()).toBe(0);
    });

    test("A1: the next task finds what was made, without what the agent before added to it, and nothing is made", async () => {
      const first = await open("task-1");
      await prepared(first.path);
      await fixture.write(first.path, "a.txt", "a\n");
      await fixture.write(first.path, "made/planted.txt", "planted\n");
      await finish(first);
      const second = await open("task-2");
      expect([second.path, await prepared(second.path), runs]).toEqual([first.path, false, 1]);
      expect(await madeIn(second.path)).toEqual(["tool 1\n", "ignored 1\n"]);
      expect(await fixture.read(second.path, "made/planted.txt")).toBe(null);
      expect(await fixture.read(second.path, "a.txt")).toBe("a\n");
    });

    test.each([
      ["changed", (path: string) => fixture.write(path, "made/tool.txt", "evil 1\n")],
      ["removed", (path: string) => fixture.remove(path, "made/tool.txt")],
      ["changed", (path: string) => fixture.write(path, "ignored.txt", "ignorEd 1\n")],
    ])("PR-9: what an agent %s is not there for the next one: all is made anew", async (_how, spoil) => {
      const first = await open("task-1");
      await prepared(first.path);
      await spoil(first.path);
      await finish(first);
      const second = await open("task-2");
      expect(await madeIn(second.path)).toEqual([null, null]);
      expect(await prepared(second.path)).toBe(true);
      expect(await madeIn(second.path)).toEqual(["tool 2\n", "ignored 2\n"]);
    });

    test("A1: after a failed attempt the work is put away without what was made, which stays for the next one", async () => {
      const first = await open("task-1");
      await prepared(first.path);
      await fixture.write(first.path, "half.txt", "half\n");
      const { archive } = value(await fixture.workspaces.archive(first.end));
      expect(await fixture.read(archive, "half.txt")).toBe("half\n");
      expect(await madeIn(archive)).toEqual([null, null]);
      const second = await open("task-1", { attempt: 2 });
      expect([await fixture.read(second.path, "half.txt"), await madeIn(second.path)]).toEqual([
        null,
        ["tool 1\n", "ignored 1\n"],
      ]);
      expect([await prepared(second.path), runs]).toEqual([false, 1]);
    });

    test("A1: other inputs, or another salt, are another set-up, and the old one is gone before it", async () => {
      const first = await open("task-1");
      await prepared(first.path);
      expect(await prepared(first.path, { salt: "other" })).toBe(true);
      await fixture.write(first.path, "readme.md", "new\n");
      await finish(first);
      const second = await open("task-2");
      let before: unknown;
      const make = async () => {
        before = await madeIn(second.path);
        return succeeded(null);
      };
      const asked = { path: second.path, fence, ...request, salt: "other" };
      expect(value(await fixture.workspaces.prepare(asked, make))).toEqual({ made: true });
      expect(before).toEqual([null, null]);
    });

    test("A4, PR-9: a proof is set up once for its inputs; what a gate leaves in it, or spoils, is gone", async () => {
      const claimed = await open("task-1");
      const { commit: id } = await commit(claimed);
      const proof = async () => value(await fixture.workspaces.proof({ slot: 0, commit: id })).path;
      const path = await proof();
      expect(await prepared(path)).toBe(true);
      await fixture.write(path, "made/planted.txt", "planted\n");
      await fixture.write(path, "left.txt", "left\n");
      const again = value(await fixture.workspaces.proof({ slot: 0, commit: id }));
      const isNamed = (file: string) => again.made.some((made) => `${path}/${file}`.startsWith(made));
      expect([isNamed("made/tool.txt"), isNamed("readme.md")]).toEqual([true, false]);
      expect([again.path, await prepared(path)]).toEqual([path, false]);
      const files = ["made/tool.txt", "made/planted.txt", "left.txt"];
      const readAll = () => Promise.all(files.map((file) => fixture.read(path, file)));
      expect(await readAll()).toEqual(["tool 1\n", null, null]);
      await fixture.write(path, "made/tool.txt", "evil 1\n");
      await proof();
      expect(await readAll()).toEqual([null, null, null]);
      expect([await prepared(path), await readAll()]).toEqual([true, ["tool 2\n", null, null]]);
    });

    test("E: a set-up that fails is the failure it gave; nothing of it stays, and the next one begins anew", async () => {
      const { path } = await open("task-1");
      const failure = { kind: "env_setup", message: "no network" } as const;
      const make = async () => {
        await fixture.write(path, "made/half.txt", "half\n");
        return failed(failure);
      };
      const asked = { path, fence, ...request };
      expect(await fixture.workspaces.prepare(asked, make)).toEqual({ ok: false, failure });
      const again = await open("task-1", { attempt: 2 });
      expect([await fixture.read(again.path, "made/half.txt"), await prepared(again.path)]).toEqual([null, true]);
      expect(await fixture.archives()).toBe(0);
    });

    test("A4: a set-up that changes files of the project is refused, naming them", async () => {
      const { path } = await open("task-1");
      const outcome = await fixture.workspaces.prepare({ path, fence, ...request }, async () => {
        await fixture.write(path, "readme.md", "changed\n");
        return succeeded(null);
      });
      const message = "the set-up changed files that belong to the project: readme.md";
      expect(outcome).toMatchObject({ ok: false, failure: { kind: "env_setup", message } });
    });

    test("A1: without a set-up what one made before is taken away", async () => {
      const { path } = await open("task-1");
      await prepared(path);
      const asked = { path, fence, inputs: [], salt: "" };
      expect(value(await fixture.workspaces.prepare(asked, null))).toEqual({ made: false });
      expect(await madeIn(path)).toEqual([null, null]);
    });

    test("PR-4: a run that was replaced sets nothing up", async () => {
      const { path } = await open("task-1");
      const stale = { path, fence, ...request };
      await open("task-1");
      const outcome = await fixture.workspaces.prepare(stale, async () => succeeded(null));
      expect(outcome).toMatchObject({ ok: false, failure: { kind: "env_setup" } });
    });
  });
}
