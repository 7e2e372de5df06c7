// What a person sees: the live view in a real terminal.
import { expect, test } from "vitest";
import { createPipe } from "./pipes.ts";
import { createTestProject } from "./project.ts";
import { harnessCommand, openTerminal } from "./tmux.ts";

async function createWaitingMission() {
  const project = createTestProject();
  await project.must("init", "--yes");
  await project.must("add", "Wait for the test", "--validate", "test -f a.txt");
  await project.must("add", "A second one", "--validate", "true", "--depends-on", "task-001");
  const goOn = createPipe(project.place, "go-on");
  const agent = `[ -f a.txt ] || { echo thinking; cat "${goOn.path}" > a.txt; }`;
  const command = harnessCommand(`run --lanes 2 --agent-command '${agent}'`);
  return { project, goOn, command };
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

test("lanes and a bar are redrawn in place, finished tasks scroll above, and the cursor is there at the end", async () => {
  const { project, goOn, command } = await createWaitingMission();
  const terminal = openTerminal(project, command);
  const working = await terminal.shows(/lane 0 {2}task-001 {2}working .* attempt 1\/3 {2}Wait for the test/);
  expect(working).toContain("lane 1  –");
  expect(working).toMatch(/\[░{20}\] 0\/2 {2}1 working, 1 waiting/);
  const later = await terminal.shows(/working {5}(?!00:00)\d\d:\d\d .*– thinking/);
  expect([count(later, /lane 0/g), count(later, /0\/2/g)]).toEqual([1, 1]);

  await goOn.say("a");
  const done = await terminal.shows("exit code 0");
  expect(done).toContain("Completed [task-001]");
  expect(done).toContain("Completed [task-002]");
  expect(done).toMatch(/STATS tasks_total=2 completed=2/);
  expect(done).not.toMatch(/lane [01] /);
  expect(terminal.ask("#{cursor_flag}")).toBe("1");
});

test("a terminal that is made narrow and low shows whole lines, and wide again all of them", async () => {
  const { project, goOn, command } = await createWaitingMission();
  const terminal = openTerminal(project, command);
  // Just drawn, and nothing happens before the next second: the new size is known by then.
  await terminal.shows(/(?!00:00)\d\d:\d\d {2}attempt .*– thinking/);
  terminal.resize(30, 8);
  const narrow = await terminal.shows(/^lane 0 {2}task-001 {2}working +…$/m);
  expect([count(narrow, /lane 0/g), count(narrow, /0\/2/g)]).toEqual([1, 1]);
  terminal.resize(100, 30);
  const wide = await terminal.shows(/^lane 0 {2}task-001 .*Wait for the test/m);
  expect([count(wide, /lane 0/g), count(wide, /0\/2/g)]).toEqual([1, 1]);
  await goOn.say("a");
  await terminal.shows("exit code 0");
});

test("Ctrl-C stops cleanly and leaves a usable terminal", async () => {
  const { project, command } = await createWaitingMission();
  const terminal = openTerminal(project, command);
  await terminal.shows(/– thinking/);
  terminal.press("C-c");
  const seen = await terminal.shows("exit code 130");
  expect(seen).toContain("stopping – work is kept; again to stop at once");
  expect(seen).not.toMatch(/lane [01] /);
  expect(terminal.ask("#{cursor_flag}")).toBe("1");
});
