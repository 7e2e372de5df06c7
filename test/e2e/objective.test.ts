// The first five minutes: an objective, one screen, a few keys, and work that one can accept.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";
import { harnessCommand, openTerminal } from "./tmux.ts";

/** Half of it without a promise, a promise that is not true, and then the rest. */
const agent = `n=$(ls "$HOME" | grep -c turn); touch "$HOME/turn-$n"
case $n in
  0) echo half > half.txt; echo "half of it";;
  1) echo TASK_COMPLETE;;
  *) echo rest > rest.txt; echo "all of it"; echo TASK_COMPLETE;;
esac`;

function project(): TestProject {
  const made = createTestProject({
    "package.json": '{"scripts": {"test": "test -f half.txt && test -f rest.txt"}}\n',
  });
  writeFileSync(join(made.place, "home/agent.sh"), agent);
  return made;
}
const words = '"make both files" --agent-command "sh $HOME/agent.sh"';
const iterations = (log: string) =>
  log.split("\n").flatMap((line) => /iteration (\d) was not the last/.exec(line)?.[1] ?? []);

test("I1, I2: an objective in a fresh repository, from the start screen to accept, by keys alone", async () => {
  const here = project();
  const before = here.git("rev-parse", "HEAD");
  const terminal = openTerminal(here, harnessCommand(words));
  const asked = await terminal.shows("Enter runs it, s skips it, q leaves");
  expect(asked).toContain("  check   npm test");
  terminal.press("Enter");
  const start = await terminal.shows("Enter starts, q leaves");
  expect(start).toContain("task     make both files");
  expect(start).toContain("agent    command: sh ");
  expect(start).toContain("check    npm test (found: ");
  expect(start).toContain("it is RED before anything is done");
  expect(start).toContain("limits   10 iterations; ends with the promise TASK_COMPLETE, if the check passes");
  terminal.press("Enter");
  const end = await terminal.shows("[a] accept");
  expect(end).toContain("done     make both files (3 iterations)");
  expect(end).toMatch(/proof {4}npm test passed on a clean checkout of [0-9a-f]{7}/);
  expect(end).toMatch(/changes +half\.txt \| 1 \+/);
  expect(here.git("rev-parse", "HEAD")).toBe(before);
  terminal.press("l");
  await terminal.shows("+rest");
  terminal.press("a");
  await terminal.shows("exit code 0");
  expect(here.git("ls-files")).toBe("half.txt\npackage.json\nrest.txt");
  expect(iterations((await here.must("logs")).stdout)).toEqual(["1", "2"]);
});

test("G5: d at the end drops the work: neither branch has it, its history has, and there is nothing to accept", async () => {
  const here = project();
  const terminal = openTerminal(here, harnessCommand(`${words} --validate "test -f rest.txt"`));
  await terminal.shows("Enter starts, q leaves");
  terminal.press("Enter");
  await terminal.shows("[d] drop");
  terminal.press("d");
  expect(await terminal.shows("exit code 0")).toMatch(
    /Dropped task-001: commit [0-9a-f]{7} on the mission branch takes it back/,
  );
  const work = /git cherry-pick ([0-9a-f]{7})/.exec(terminal.screen())?.[1] ?? "";
  const branch = await here.branch();
  expect(here.git("ls-tree", "--name-only", branch)).toBe("package.json");
  expect(here.git("log", "--format=%s", `main..${branch}`)).toBe(
    "Drop task-001: make both files\ntask-001: make both files",
  );
  expect((await here.must("status")).stdout).toContain("[completed] task-001: make both files (1/1) dropped");
  const accepted = await here.harness("accept");
  expect([accepted.code, accepted.stderr]).toEqual([
    1,
    "error: nothing was accepted – all finished work was dropped\n",
  ]);
  here.git("cherry-pick", work);
  expect(here.git("ls-files")).toBe("half.txt\npackage.json\nrest.txt");
  const again = await here.harness("drop", "task-002");
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining('nothing was dropped – there is no task "task-002"'),
  ]);
});

test("I1: q at the start screen leaves, and nothing was planned", async () => {
  const here = project();
  const terminal = openTerminal(here, harnessCommand(words));
  await terminal.shows("Enter runs it, s skips it, q leaves");
  terminal.press("s");
  await terminal.shows("Enter starts, q leaves");
  terminal.press("q");
  await terminal.shows("exit code 130");
  expect(JSON.parse((await here.must("tasks", "--json")).stdout)).toEqual([]);
});

test("I1: harness loop alone asks at a terminal what is to be done; an empty answer leaves, and nothing was made", async () => {
  const here = project();
  const asked = openTerminal(here, harnessCommand("loop"));
  await asked.shows("what is to be done (nothing: leave):");
  asked.press("Enter");
  await asked.shows("exit code 130");
  expect([asked.screen().includes("Nothing was started"), existsSync(join(here.root, ".harness"))]).toEqual([
    true,
    false,
  ]);
});

test("I1: what is answered then is the objective", async () => {
  const here = project();
  const asked = openTerminal(here, harnessCommand("loop --agent-command true --validate true"));
  await asked.shows("what is to be done (nothing: leave):");
  asked.enter("make the tests green");
  await asked.shows("Enter starts, q leaves");
  expect(asked.screen()).toContain("make the tests green");
  asked.press("q");
  await asked.shows("exit code 130");
});

test("I1, B1: without anybody to ask it starts with --yes, and stops at its iterations with 5; it names what goes on", async () => {
  const here = project();
  const args = ["--agent-command", "echo not yet", "--max-iterations", "2", "--validate", "true"];
  const refused = await here.harness("two words", ...args);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("next: add --yes")]);
  const ended = await here.harness("two words", ...args, "--yes");
  expect([ended.code, iterations((await here.must("logs")).stdout)]).toEqual([5, ["1", "2"]]);
  expect(ended.stdout).toContain(
    "not done two words (2 iterations)\n         the work so far is kept: harness loop --resume --max-iterations 4 goes on with it\n",
  );
  const [task] = JSON.parse((await here.must("tasks", "--json")).stdout);
  expect([task.status, task.attempts]).toEqual(["failed", 1]);
});

test.each([
  ["--max-iterations=0", "It must be a whole number from 1 to 10000"],
  ["--max-iterations=-3", "It must be a whole number from 1 to 10000"],
  ["--max-iterations=many", "It must be a whole number from 1 to 10000"],
])("I3: %s is refused with a hint", async (flag, hint) => {
  const here = project();
  const ended = await here.harness("loop", "two words", flag, "--yes");
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining(hint)]);
});

test("I1: an empty objective, two of them, and one behind unfinished work are refused with the next step", async () => {
  const here = project();
  const first = async (...args: readonly string[]) => {
    const { code, stderr } = await here.harness(
      "loop",
      ...args,
      "--yes",
      "--validate",
      "true",
      "--agent-command",
      "true",
    );
    return [code, stderr.split("\n")[0]];
  };
  expect(await first("  ")).toEqual([1, "error: nothing was started – there is no objective"]);
  expect(await first("a", "--file", "b")).toEqual([
    1,
    "error: nothing was started – the objective is given twice, as words and by --file",
  ]);
  await here.must("init", "--yes");
  await here.must("add", "Before", "--validate", "true");
  expect(await first("a b")).toEqual([1, "error: nothing was started – there is unfinished work here: 1 task"]);
});

test("harness alone says what is next: help where nothing is, then the step that waits", async () => {
  const here = project();
  const next = async () => (await here.must()).stdout.trimEnd().split("\n").at(-1);
  expect(await next()).toBe('Here is no Harness project yet. To begin: harness "what to do"');
  await here.must("init", "--yes");
  expect(await next()).toBe('  next: harness "what to do"');
  await here.must("add", "One", "--validate", "true");
  expect(await next()).toBe("  next: harness run goes on with what is unfinished");
  await here.must("run", "--agent-command", "echo x > x.txt");
  expect(await next()).toBe("  next: harness accept takes finished work into your branch");
  await here.must("accept");
  expect(await next()).toBe('  next: harness "what to do"');
});
