// Rule T, PR-11: what came with a project runs only after the user accepted exactly that, for exactly that place.
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";
import { harnessCommand, openTerminal } from "./tmux.ts";

const agent = ["--agent-command", "touch a.txt"];
const taskFile = (command: string): string =>
  JSON.stringify({
    version: 2,
    tasks: [{ id: "a", title: "Task a", status: "pending", priority: "P1", validation: { command } }],
  });

/** A clone that brings a plan. */
function cloned(command = "test -f a.txt"): TestProject {
  const project = createTestProject();
  project.write({ "harness-tasks.json": taskFile(command) });
  return project;
}
const store = ({ env }: TestProject): string => join(env.HOME ?? "", ".local/share/harness/trust.json");
const shown = async (project: TestProject) => JSON.parse((await project.harness("trust", "show", "--json")).stdout);

test("T: trust show prints every command as it would run, with nothing hidden, and ends with 8", async () => {
  const project = cloned("test -f a.txt # \u001b[2K\u202e harmless\ntrue");
  const told = await project.harness("trust");
  const { hash } = await shown(project);
  expect([told.code, told.stdout]).toEqual([
    8,
    [
      `${project.git("rev-parse", "--show-toplevel")} wants to run, with your rights:`,
      "",
      "  $ test -f a.txt # \\x1b[2K\\u202e harmless",
      "    true",
      "",
      `hash  ${hash}`,
      `next  harness trust accept ${hash}`,
      "",
    ].join("\n"),
  ]);
  expect(existsSync(store(project))).toBe(false);
});

test("T: accepted by its hash, it runs without a flag; the word is kept in the user's data, for nobody else to read", async () => {
  const project = cloned();
  expect((await project.harness("run", ...agent)).code).toBe(8);
  const { hash } = await shown(project);
  expect((await project.harness("trust", "accept", "0000")).code).toBe(1);
  await project.must("trust", "accept", hash);
  expect(statSync(store(project)).mode & 0o777).toBe(0o600);
  expect((await project.must("trust", "list")).stdout).toContain(`${hash}  `);
  expect((await project.must("run", ...agent)).stdout).toContain("Completed [a]");
});

test("T: the word is for that place and that text: a copy elsewhere and a changed command ask again", async () => {
  const project = cloned();
  await project.must("trust", "accept", (await shown(project)).hash);
  const copy = createTestProject();
  cpSync(join(project.root, "harness-tasks.json"), join(copy.root, "harness-tasks.json"));
  copy.env.HOME = project.env.HOME ?? "";
  expect((await copy.harness("run", ...agent)).code).toBe(8);
  const again = cloned("test -f b.txt");
  again.env.HOME = project.env.HOME ?? "";
  const written = JSON.parse(readFileSync(store(project), "utf8"));
  // Accepted for the path where the other plan lies by now.
  written.accepted[0].root = again.git("rev-parse", "--show-toplevel");
  writeFileSync(store(project), JSON.stringify(written));
  expect((await again.harness("run", ...agent)).code).toBe(8);
});

test("T: taken back, it asks again; a run that is on is not touched", async () => {
  const project = cloned("test -f a.txt && test -f b.txt");
  await project.must("run", "--once", "--trust-all", "--agent-command", "true").catch(() => undefined);
  await project.must("trust", "revoke");
  const refused = await project.harness("run", ...agent);
  expect([refused.code, refused.stderr.includes("not accepted yet")]).toEqual([8, true]);
  expect(readFileSync(join(project.root, "harness-progress.txt"), "utf8")).toContain("was taken back");
  const run = project.start(["run", "--trust-all", "--agent-command", "sleep 1000"]);
  await expect.poll(async () => (await project.must("status")).stdout).toContain("[in_progress] a");
  const busy = await project.harness("trust", "revoke");
  expect([busy.code, busy.stderr.includes("a run is on")]).toEqual([1, true]);
  run.process.kill("SIGINT");
  await run.ended;
});

test("T: a run in a terminal shows what would run and asks; no is no, yes is kept", async () => {
  const project = cloned('touch "$CANARY" && test -f a.txt');
  project.pass({ CANARY: join(project.place, "canary") });
  const ask = "Accept exactly this for this project? (y/n) [n]:";
  const command = harnessCommand("run --agent-command 'touch a.txt'");
  const first = openTerminal(project, command);
  const screen = await first.shows(ask);
  expect(screen).toContain('$ touch "$CANARY" && test -f a.txt');
  first.press("Enter");
  await first.shows("exit code 8");
  expect([existsSync(project.env.CANARY ?? ""), existsSync(store(project))]).toEqual([false, false]);
  const { hash } = await shown(project);
  await project.must("trust", "accept", hash);
  expect((await project.must("run", ...agent)).stdout).toContain("Completed [a]");
});

test("T, C2: an agent accepts and takes back nothing", async () => {
  const project = cloned();
  const { hash } = await shown(project);
  project.env.HARNESS_LANE = "1";
  for (const args of [
    ["trust", "accept", hash],
    ["trust", "revoke"],
  ])
    expect((await project.harness(...args)).stderr).toContain("this is for the user to say");
  expect(existsSync(store(project))).toBe(false);
});

test("T: a file of acceptances that cannot be read accepts nothing, and says what to do", async () => {
  const project = cloned();
  await project.must("trust", "accept", (await shown(project)).hash);
  writeFileSync(store(project), '{"v":1,"accepted":"all"}');
  const refused = await project.harness("run", ...agent);
  expect([refused.code, refused.stderr]).toEqual([10, expect.stringContaining("mend it, or move it away")]);
});
