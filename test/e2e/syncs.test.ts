// How often a transition waits for the disk does not depend on how large the plan is. Counted with strace.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;
const library = pathToFileURL(join(import.meta.dirname, "../../dist/index.mjs")).href;

/** A process that pauses and resumes a mission so many times, without waiting for its views in between. */
const transitions = `
  const { locateProject, openMission } = await import(${JSON.stringify(library)});
  const project = await locateProject(process.cwd(), process.env);
  const mission = await openMission(project.value, { env: process.env });
  for (let n = 0; n < Number(process.argv[1]); n += 1) {
    await mission.value.submit({ type: n % 2 === 0 ? "mission.pause" : "mission.resume", by: "x" });
  }
  await mission.value.close();
`;

/** Of the journal alone: the views follow at their own pace. */
function syncsOfJournal(project: TestProject, count: number): number {
  const trace = ["-f", "-qq", "-y", "-e", "trace=fsync,fdatasync", "-e", "signal=none"];
  const child = [process.execPath, "--input-type=module", "-e", transitions, String(count)];
  const { status, stderr } = spawnSync("strace", [...trace, ...child], {
    cwd: project.root,
    env: project.env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stderr.split("\n").filter((line) => /sync\(\d+<[^>]*\/journal\.db(-journal)?>/.test(line)).length;
}

test.skipIf(!hasStrace)("M5: a transition syncs the journal as often with 1,000 tasks as with 10", async () => {
  const perTransition = async (size: number) => {
    const project = createTestProject();
    const tasks = Array.from({ length: size }, (_, n) => ({ id: `t-${n}`, title: `T ${n}`, status: "pending" }));
    project.write({ "harness-tasks.json": JSON.stringify({ version: 2, tasks }) });
    await project.must("init", "--yes");
    return (syncsOfJournal(project, 12) - syncsOfJournal(project, 2)) / 10;
  };
  const [small, large] = [await perTransition(10), await perTransition(1_000)];
  expect(large).toBe(small);
  expect(small).toBeGreaterThanOrEqual(2);
  expect(small).toBeLessThanOrEqual(4);
});
