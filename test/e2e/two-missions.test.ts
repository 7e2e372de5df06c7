// Two missions in one repository, as in a repository of many packages: neither takes the other's work for its own.
import { expect, test, vi } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

// A dozen commands each, on a loaded machine.
vi.setConfig({ testTimeout: 180_000 });

const folders = ["one", "two"] as const;
type Folder = (typeof folders)[number];

interface Two {
  readonly project: TestProject;
  /** Runs the program for the mission of that folder. */
  ask(folder: Folder, ...args: readonly string[]): Promise<{ code: number | null; text: string }>;
}

/** Each with one task of the same name. */
async function createTwo(): Promise<Two> {
  const project = createTestProject({ "one/a.txt": "a\n", "two/a.txt": "a\n" });
  const ask: Two["ask"] = async (folder, ...args) => {
    const { code, stdout, stderr } = await project.start(["--root", ".", ...args], folder).ended;
    return { code, text: `${stdout}${stderr}` };
  };
  for (const folder of folders) {
    await ask(folder, "init", "--yes");
    await ask(folder, "add", "Work", "--validate", `test -f ${folder}.txt`, "--max-attempts", "1");
  }
  return { project, ask };
}
const work = (folder: Folder) => ["run", "--workspace", "in-place", "--agent-command", `echo x > ${folder}.txt`];
const committed = (project: TestProject) =>
  project
    .git("log", "--reverse", "--format=%s", "--name-only", "HEAD", "--not", ":/^base")
    .split("\n")
    .filter((line) => line !== "");

test("V3, PR-9: a task that another mission finished under the same name on the same branch is not taken for done", async () => {
  const { project, ask } = await createTwo();
  expect((await ask("one", ...work("one"))).code).toBe(0);
  expect((await ask("two", ...work("two"))).code).toBe(0);
  expect(committed(project)).toEqual(["task-001: Work", "one/one.txt", "task-001: Work", "two/two.txt"]);
  // Also once both have begun there.
  for (const folder of folders) await ask(folder, "add", "More", "--validate", `test -f more-${folder}.txt`);
  for (const folder of folders) {
    expect((await ask(folder, "run", "--agent-command", `echo x > more-${folder}.txt`)).code).toBe(0);
  }
  expect(committed(project).slice(4)).toEqual([
    "task-002: More",
    "one/more-one.txt",
    "task-002: More",
    "two/more-two.txt",
  ]);
  const said = await ask("two", "accept", "--json");
  expect(JSON.parse(said.text)).toMatchObject({ how: "present", tasks: ["task-001", "task-002"] });
});

test("PR-3: while one mission works in a checkout, another is refused there by the name of the first", async () => {
  const { project, ask } = await createTwo();
  project.env.HARNESS_WORKER_ID = "me";
  const { mission } = JSON.parse((await ask("one", "status", "--json")).text);
  expect(JSON.parse((await ask("one", "claim", "--here")).text)).toMatchObject({ claimed: true });
  const before = project.checkout();
  for (const flags of [[], ["--with-changes"]]) {
    const refused = await ask("two", ...work("two"), ...flags);
    expect(refused.code).toBe(10);
    expect(refused.text).toContain(
      `the mission ${mission.id} is at work in the checkout ${project.git("rev-parse", "--show-toplevel")}`,
    );
    expect(refused.text).toContain("  next: ");
  }
  expect(project.checkout()).toBe(before);
  project.write({ "one/one.txt": "x\n" });
  expect(JSON.parse((await ask("one", "done", "task-001")).text)).toMatchObject({ done: true });
  expect((await ask("two", ...work("two"))).code).toBe(0);
  expect(committed(project)).toEqual(["task-001: Work", "one/one.txt", "task-001: Work", "two/two.txt"]);
});
