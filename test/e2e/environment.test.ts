// What programs find in their environment, and what every user of the machine can see of them.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

const key = "m0del-key-4711-0815";

/** Leaves what it was given, and the arguments of all processes there are, where the test can see it. */
const look = (project: TestProject, who: string): string =>
  `env > '${project.place}/${who}.env'; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' > '${project.place}/${who}.args'`;

test("ENV: a key named for agents reaches the agent alone, no argument of any process, and is not told", async () => {
  const project = createTestProject();
  Object.assign(project.env, { MODEL_API_KEY: key, BUILD_FLAG: "b-4711", OTHER_TOKEN: "t-4711" });
  await project.must("init", "--yes");
  await project.must("add", "Look", "--validate", `${look(project, "gate")}; test -f a.txt`);
  await project.must("add", "Needs it", "--validate", 'test -n "$BUILD_FLAG"', "--max-attempts", "1");
  const agent = `cat > /dev/null; ${look(project, "agent")}; touch a.txt`;
  const run = await project.harness("run", "--agent-env", "MODEL_*", "--agent-command", agent);
  expect(run.code).toBe(11);
  const seen = (who: string) => readFileSync(join(project.place, who), "utf8");
  const given = (who: string) => [key, "b-4711", "t-4711"].filter((value) => seen(`${who}.env`).includes(value));
  expect([given("agent"), given("gate")]).toEqual([[key], []]);
  const args = `${seen("agent.args")}${seen("gate.args")}`;
  expect([args.includes("--agent-env"), args.includes(key)]).toEqual([true, false]);
  expect(run.stderr).toContain("not passed to agents: BUILD_FLAG, OTHER_TOKEN of your variables");
  expect(run.stdout).toContain('test -n "$BUILD_FLAG" (not passed to it: BUILD_FLAG)');
  expect(["b-4711", "t-4711", key].filter((value) => `${run.stdout}${run.stderr}`.includes(value))).toEqual([]);
});

test("ENV, CFG: a project's file cannot widen what reaches agents; with the user's word it reaches them", async () => {
  const project = createTestProject();
  project.env.BUILD_FLAG = "b-4711";
  project.write({ ".harness/config.json": JSON.stringify({ env: { pass: ["BUILD_FLAG"] } }) });
  const refused = await project.harness("init", "--yes");
  expect([refused.code, refused.stderr.includes("env is for the user to set, never for a project")]).toEqual([
    10,
    true,
  ]);
  project.write({ ".harness/config.json": "{}" });
  project.pass({ BUILD_FLAG: "b-4711" });
  await project.must("init", "--yes");
  await project.must("add", "Needs it", "--validate", 'test "$BUILD_FLAG" = b-4711');
  await project.must("run", "--agent-command", 'test "$BUILD_FLAG" = b-4711');
});

test("ENV: programs of the project do not look for newer versions of themselves", async () => {
  const asked: string[] = [];
  const registry = createServer(({ url }, response) => {
    asked.push(url ?? "");
    const version = { name: "npm", version: "99.0.0", dist: { tarball: "http://127.0.0.1/npm.tgz" } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name: "npm", "dist-tags": { latest: "99.0.0" }, versions: { "99.0.0": version } }));
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void registry.close());
  const project = createTestProject({ "package.json": '{"scripts": {"test": "test -f a.txt"}}\n' });
  const { port } = registry.address() as AddressInfo;
  writeFileSync(join(project.place, "home/.npmrc"), `registry=http://127.0.0.1:${port}/\n`);
  await project.must("init", "--yes");
  await project.must("add", "Make a.txt", "--validate", "npm test", "--max-attempts", "1");
  const run = await project.harness("run", "--agent-command", "true");
  expect([run.code, run.stdout.includes("validation exited with 1"), asked]).toEqual([11, true, []]);
});
