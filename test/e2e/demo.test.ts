// The demo, from the built program, and whether what it printed is so.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { locateProject, verifyJournal } from "../../src/index.ts";
import { demoFiles } from "../../src/surfaces/cli/demo-files.ts";
import { demoTasks } from "../../src/surfaces/cli/demo-plan.ts";
import { createEmptyFolder, type TestProject } from "./project.ts";

function createDemoFolder(): { readonly folder: TestProject; readonly temporary: string } {
  const folder = createEmptyFolder();
  const temporary = join(folder.place, "tmp");
  mkdirSync(temporary);
  folder.env.TMPDIR = temporary;
  return { folder, temporary };
}

test("demo --keep: exit 0, and the journal, the commits and every validation agree with what was printed", async () => {
  const { folder } = createDemoFolder();
  const shown = await folder.must("demo", "--keep");
  const kept = /kept in (\S+)/.exec(shown.stdout)?.[1] ?? "";
  const state = /its state in (\S+)/.exec(shown.stdout)?.[1] ?? "";
  const env = { ...folder.env, HARNESS_STATE_HOME: state };

  const project = await locateProject(kept, env);
  if (!project.ok) throw new Error(project.failure.message);
  expect(await verifyJournal(project.value)).toBeNull();

  const branch = /git log --oneline main\.\.(\S+)/.exec(shown.stdout)?.[1] ?? "";
  const format = "--format=%h %(trailers:key=Harness-Task,valueonly,separator=%x20)";
  const commits = folder.git("-C", kept, "log", "--abbrev=7", "--reverse", format, `main..${branch}`).split("\n");
  const printed = [...shown.stdout.matchAll(/Completed \[(\S+)\] \(commit (\w+)\)/g)].map(
    ([, id, sha]) => `${sha} ${id}`,
  );
  expect(commits).toEqual(printed);
  expect(commits).toHaveLength(demoTasks.length);

  expect(shown.stdout).toContain("killed (kill -9)");
  expect(shown.stdout.match(/RECOVERY \[/g)).toHaveLength(1);
  expect(shown.stdout.match(/ERROR \[\S+\] \[TEST_FAIL\]/g)).toHaveLength(1);
  expect(shown.stdout).toMatch(/STATS tasks_total=8 completed=8 failed=0 pending=0 blocked=0 attempts_total=9 /);

  const checkout = join(folder.place, "checkout");
  folder.git("clone", "--quiet", "--branch", branch, kept, checkout);
  for (const { validate } of demoTasks) folder.sh("sh", "-c", `cd "${checkout}" && ${validate}`);
  expect(folder.git("-C", kept, "status", "--porcelain")).toBe("");
  expect(folder.processes()).toEqual([]);
});

test("every validation of the demo is red before the agent worked", () => {
  const folder = createEmptyFolder();
  folder.write(demoFiles);
  const red = demoTasks.filter(({ validate }) => {
    try {
      folder.sh("sh", "-c", validate);
      return false;
    } catch {
      // A validation that fails throws here.
      return true;
    }
  });
  expect(red).toEqual(demoTasks);
});

test("demo leaves nothing behind", async () => {
  const { folder, temporary } = createDemoFolder();
  const shown = await folder.must("demo");
  expect(shown.stdout).toContain("In your own project");
  expect(readdirSync(temporary)).toEqual([]);
  expect(existsSync(folder.env.HARNESS_STATE_HOME ?? "")).toBe(false);
});
