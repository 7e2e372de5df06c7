// The part of the contract of workspaces that is about where the work in one stands (I5).
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Standing } from "../protocol/standing.ts";
import { value } from "./workspace.contract.ts";
import type { MakeFixture, WorkspacesFixture } from "./world.fixture.ts";

export function describeStanding(name: string, makeFixture: MakeFixture): void {
  describe(`${name} keeps the contract of where the work stands`, () => {
    let fixture: WorkspacesFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.dispose());

    const open = async () => {
      const opened = value(await fixture.workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 }));
      if (opened.merged) throw new Error("merged already");
      return { path: opened.path, base: opened.base };
    };
    const standingOf = async (at: { readonly path: string; readonly base: string }) => {
      const { standing } = value(await fixture.workspaces.inspect({ ...at, standing: true }));
      expect(Standing.parse(standing)).toEqual(standing);
      return standing;
    };

    test("I5: a fresh workspace stands where it began, and nobody is told who does not ask", async () => {
      const at = await open();
      expect(await standingOf(at)).toEqual({
        changed: { files: 0, added: 0, removed: 0, most: [] },
        commits: [],
        lists: [],
      });
      expect(value(await fixture.workspaces.inspect(at)).standing).toBe(undefined);
    });

    test("I5: changes against the base, committed or not, commits of its own, and lists at the top are told; ignored files not", async () => {
      const at = await open();
      await fixture.write(at.path, "a.txt", "1\n2\n3\n");
      await fixture.commitInside(at.path, "first half");
      await fixture.write(at.path, "TODO.md", "# To do\n- [x] one\n- [ ] two\n- [ ] three\n");
      await fixture.commitInside(at.path, "a list");
      await fixture.write(at.path, "readme.md", "hello\nyou\n");
      await fixture.write(at.path, "sub/todo.md", "- [ ] not at the top\n");
      await fixture.write(at.path, "ignored.txt", "no\n");
      expect(await standingOf(at)).toEqual({
        changed: {
          files: 4,
          added: 9,
          removed: 0,
          most: [
            { path: "TODO.md", added: 4, removed: 0 },
            { path: "a.txt", added: 3, removed: 0 },
            { path: "readme.md", added: 1, removed: 0 },
            { path: "sub/todo.md", added: 1, removed: 0 },
          ],
        },
        commits: ["a list", "first half"],
        lists: [{ path: "TODO.md", done: 1, open: 2, next: ["two", "three"] }],
      });
    });

    test("I5: however much there is, a bounded part is told, and all of it counted", async () => {
      const at = await open();
      for (let n = 10; n < 50; n++) await fixture.write(at.path, `f-${n}.txt`, "x\n");
      for (let n = 0; n < 7; n++)
        await fixture.write(at.path, `${n}-checklist.md`, `- [ ] ${"long ".repeat(100)}\n`.repeat(9));
      for (let n = 0; n < 12; n++) {
        await fixture.write(at.path, "f-10.txt", `${n}\n`);
        await fixture.commitInside(at.path, `commit ${n} ${"word ".repeat(100)}`);
      }
      const standing = await standingOf(at);
      expect([standing?.changed.files, standing?.changed.most.length, standing?.commits.length]).toEqual([47, 30, 10]);
      expect(standing?.lists.map(({ open, next }) => [open, next.length])).toEqual(Array(5).fill([9, 5]));
    });
  });
}
