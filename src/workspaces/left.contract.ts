// What every workspace variant must do about what an agent leaves for us (I5, I7), as one suite.
import { afterEach, describe, expect, test } from "vitest";
import { nothingLeft } from "../protocol/left.ts";
import { messageOf, value } from "./workspace.contract.ts";
import { apart, type WorkspacesFixture } from "./world.fixture.ts";

/** With these files in the base, too. */
type MakeWith = (files: Readonly<Record<string, string>>) => Promise<WorkspacesFixture>;

const handoff = '{"phase": "one"}\n';

export function describeLeft(name: string, makeFixture: MakeWith, { inPlace } = apart): void {
  describe(`${name} keeps the contract of what is left for us`, () => {
    let fixture: WorkspacesFixture | null = null;
    let fence = 0;
    afterEach(() => fixture?.dispose());

    const begin = async (files: Readonly<Record<string, string>> = {}): Promise<WorkspacesFixture> => {
      fixture = await makeFixture(files);
      return fixture;
    };
    const open = async ({ workspaces }: WorkspacesFixture, task: string) => {
      fence += 1;
      const opened = value(await workspaces.open({ slot: 0, task, attempt: 1, fence }));
      if (opened.merged) throw new Error(`merged already as ${opened.commit}`);
      return { ...opened, end: { path: opened.path, task, attempt: 1, fence } };
    };
    type Place = Awaited<ReturnType<typeof open>>;
    const leave = async (there: WorkspacesFixture, { path }: Place): Promise<void> => {
      await there.write(path, "state/handoff.json", handoff);
      await there.write(path, "state/other.json", "{}\n");
      await there.write(path, "search_results/b.txt", "second\n");
      await there.write(path, "search_results/a.json", "[1]\n");
    };
    const all = ["state/handoff.json", "state/other.json", "search_results/a.json", "search_results/b.txt"];
    const merge = async ({ workspaces }: WorkspacesFixture, { path, base, end }: Place) => {
      const candidate = value(await workspaces.commit({ path, base, message: messageOf(end.task, 1) }));
      expect(value(await workspaces.merge({ candidate, ...end })).merged).toBe(true);
      value(await workspaces.close(end));
    };
    const collected = {
      handoff,
      results: [
        { name: "a.json", text: "[1]\n" },
        { name: "b.txt", text: "second\n" },
      ],
      untaken: [],
    };

    test("I5, I7: a workspace in which nothing was left answers so", async () => {
      const there = await begin();
      expect(value(await there.workspaces.collect(await open(there, "task-1")))).toEqual(nothingLeft);
    });

    test("I5, I7: what is left is collected, again if asked again, and is no work", async () => {
      const there = await begin();
      const place = await open(there, "task-1");
      const clean = value(await there.workspaces.inspect(place));
      await there.write(place.path, "state/handoff.json", handoff);
      await there.write(place.path, "search_results/b.txt", "second\n");
      await there.write(place.path, "search_results/a.json", "[1]\n");
      const first = value(await there.workspaces.collect(place));
      expect([first, value(await there.secondProcess().collect(place))]).toEqual([collected, collected]);
      expect(value(await there.workspaces.inspect(place))).toEqual(clean);
    });

    test.for(["left", "committed by the agent itself"])("I5, I7: %s, it is in no candidate", async (how) => {
      const there = await begin();
      const place = await open(there, "task-1");
      await leave(there, place);
      if (how !== "left") await there.commitInside(place.path, "mine");
      expect(value(await there.workspaces.collect(place))).toEqual(collected);
      await merge(there, place);
      expect(await Promise.all(all.map((file) => there.readAtHead(file)))).toEqual([null, "{}\n", null, null]);
    });

    test("PR-3: nothing that was left is lost with a merge or a failure", async () => {
      const there = await begin();
      const merged = await open(there, "task-1");
      await leave(there, merged);
      await merge(there, merged);
      const where = inPlace ? merged.path : value(await there.workspaces.archive(merged.end)).archive;
      expect(await Promise.all(all.map((file) => there.read(where, file)))).toEqual([
        ...[handoff, "{}\n", "[1]\n", "second\n"],
      ]);
      const failed = await open(there, "task-2");
      await there.write(failed.path, "search_results/c.txt", "third\n");
      const { archive } = value(await there.workspaces.archive(failed.end));
      expect(await there.read(archive, "search_results/c.txt")).toBe("third\n");
    });

    test("I5, I7: an attempt has nothing of what one before it left", async () => {
      const there = await begin();
      const first = await open(there, "task-1");
      await leave(there, first);
      await merge(there, first);
      expect(value(await there.workspaces.collect(await open(there, "task-2")))).toEqual(nothingLeft);
    });

    test("I5, I7: what the project tracks is its own: part of the work, and not collected", async () => {
      const there = await begin({ "state/handoff.json": "{}\n", "search_results/index.ts": "old\n" });
      const place = await open(there, "task-1");
      await leave(there, place);
      expect(value(await there.workspaces.collect(place))).toEqual(nothingLeft);
      await merge(there, place);
      expect(await Promise.all(all.map((file) => there.readAtHead(file)))).toEqual([
        ...[handoff, "{}\n", "[1]\n", "second\n"],
      ]);
    });

    test("I5: what the project tracks can be removed by its work", async () => {
      const there = await begin({ "search_results/index.ts": "old\n" });
      const place = await open(there, "task-1");
      await there.remove(place.path, "search_results/index.ts");
      await merge(there, place);
      expect(await there.readAtHead("search_results/index.ts")).toBe(null);
    });
  });
}
