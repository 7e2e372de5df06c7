import { expect, test } from "vitest";
import { type BranchFixture, describeBranchKeeping } from "../branch-keeping.contract.ts";
import { describeConflicts } from "../conflict.contract.ts";
import { describeLeft } from "../left.contract.ts";
import { describePreparing } from "../prepare.contract.ts";
import { describeStanding } from "../standing.contract.ts";
import { describeWorkspaces, messageOf, value } from "../workspace.contract.ts";
import { createMemoryRepository } from "./memory-repository.ts";
import { createMemoryWorkspaces } from "./memory-workspaces.ts";

const start = (files = {}) =>
  createMemoryRepository({ files: { "readme.md": "hello\n", ...files }, ignores: (file) => file === "ignored.txt" });

const makeWith = async (files: Readonly<Record<string, string>>): Promise<BranchFixture> => {
  const repository = start(files);
  return {
    workspaces: createMemoryWorkspaces(repository),
    secondProcess: () => createMemoryWorkspaces(repository),
    write: async (path, file, text) => repository.write(path, file, text),
    remove: async (path, file) => repository.remove(path, file),
    read: async (path, file) => repository.read(path, file),
    commitInside: async (path, message) => repository.commitInside(path, message),
    readAtHead: async (file) => repository.readAtHead(file),
    log: async () => repository.log().map((commit) => commit.message.split("\n")[0] ?? ""),
    archives: async () => repository.archives().length,
    userCommits: async (file, text) => {
      repository.user.commit(file, text);
      return repository.user.head();
    },
    userReads: async (file) => repository.user.read(file),
    dispose: async () => undefined,
  };
};
const makeFixture = () => makeWith({});
describeWorkspaces("memory", makeFixture);
describeBranchKeeping("memory", makeFixture);
describePreparing("memory", makeFixture);
describeConflicts("memory", makeFixture);
describeLeft("memory", makeWith);
describeStanding("memory", makeFixture);

test("the same calls give the same ids, so a simulated schedule replays", async () => {
  const live = async () => {
    const repository = start();
    const workspaces = createMemoryWorkspaces(repository);
    const opened = value(await workspaces.open({ slot: 3, task: "task-1", attempt: 1, fence: 1 }));
    if (opened.merged) throw new Error("nothing is merged yet");
    repository.write(opened.path, "a.txt", "a\n");
    const candidate = value(await workspaces.commit({ ...opened, message: messageOf("task-1", 1) }));
    await workspaces.merge({ candidate, task: "task-1", attempt: 1 });
    return { merges: repository.merges(), tree: value(await workspaces.inspect(opened)).tree };
  };
  expect(await live()).toEqual(await live());
});

test("a fake agent that writes where nothing is open is a bug of the simulation", () => {
  expect(() => start().write("/memory/lanes/0/work", "a.txt", "a\n")).toThrow(
    "nothing is open at /memory/lanes/0/work",
  );
});
