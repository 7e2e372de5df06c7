// For tests that need a real sandbox. Whether the machine can have one is asked of bwrap itself, not of our probe: a
// probe that says no where it could be had must turn a test red, not skip it.
import { spawnSync } from "node:child_process";
import { test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { createTestProject, type TestProject } from "./project.ts";

export const canSandbox = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "true"]).status === 0;

if (!canSandbox) {
  recordNumbers(["PR-8", "PR-10"], "no sandbox on this machine: `bwrap --ro-bind / / --unshare-pid true` fails");
  test.skip("no sandbox on this machine: the tests of it were NOT run (`bwrap --ro-bind / / --unshare-pid true` fails)", () =>
    undefined);
}

/** A test that needs the real thing. */
export const inSandbox = test.skipIf(!canSandbox);

/** A project whose user wants a sandbox, and has a key in his home. */
export function createSandboxedProject(sandbox: unknown = "required"): TestProject {
  const project = createTestProject();
  project.configureUser({ sandbox });
  project.write({ "../home/.ssh/id": "KEY\n", "../home/note": "NOTE\n" });
  return project;
}

/** With one task and an agent that is this script. Answers the arguments of its run. */
export async function withAgent(project: TestProject, script: string, validate = "true"): Promise<readonly string[]> {
  project.write({ "../agent.sh": `cat > /dev/null\n${script}\n` });
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", validate);
  return ["run", "--agent-command", `sh ${project.place}/agent.sh`];
}
