// PR-11: a cloned repository runs nothing before the user accepted exactly that.
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type HostileRepository, hostileRepositories } from "../corpus/hostile-repositories.ts";
import { recordNumbers } from "../numbers.ts";
import { createTestProject, type TestProject } from "./project.ts";

const canary = ({ env }: TestProject): string => join(env.HOME ?? "", "canary");

function clone({ files, programs = [], config = {} }: HostileRepository): TestProject {
  const project = createTestProject();
  project.write(files);
  for (const program of programs) chmodSync(join(project.root, program), 0o755);
  project.git("add", "--force", "--all");
  project.git("commit", "--quiet", "--no-verify", "--message", "hostile");
  for (const [name, value] of Object.entries(config)) project.git("config", name, value);
  return project;
}

/** Everything somebody might say first in a clone; the agent is the user's own word, and does nothing. */
const first = [
  ["status"],
  ["trust"],
  ["claim"],
  ["run", "--agent-command", "true"],
  ["init", "--yes"],
  ["run", "--agent-command", "true"],
];

let tried = 0;
afterAll(() =>
  recordNumbers(["PR-11"], `${hostileRepositories.length} hostile clones, ${tried} commands: the canary was silent`),
);

test.for(hostileRepositories.map((each) => [each.name, each] as const))(
  "PR-11: a clone that brings %s runs nothing of it by itself",
  async ([, hostile]) => {
    const project = clone(hostile);
    const fired: string[] = [];
    for (const args of first) {
      await project.harness(...args);
      tried += 1;
      if (existsSync(canary(project))) fired.push(args.join(" "));
      rmSync(canary(project), { force: true });
    }
    expect(fired).toEqual([]);
  },
);

const armed = ["a validation", "a validation on a second line", "a cleanup", "an init script", "a configured set-up"];

test.for(armed)("PR-11: the canary can sing: %s runs once the user accepts everything", async (name) => {
  const hostile = hostileRepositories.find((each) => each.name === name);
  const project = clone(hostile ?? { name, files: {} });
  await project.harness("run", "--once", "--trust-all", "--agent-command", "true");
  expect(existsSync(canary(project))).toBe(true);
});
