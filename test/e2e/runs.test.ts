// A loop over several processes: killed, resumed with its counters, and shown by `harness runs`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject } from "./project.ts";

function looping() {
  const project = createTestProject();
  const script = join(project.place, "script.json");
  const play = (...steps: readonly object[]) => writeFileSync(script, JSON.stringify({ default: steps }));
  const agent = ["--agent", "scripted", "--agent-script", script];
  return { project, play, agent };
}
interface Row {
  readonly run_id: string;
  readonly status: string;
}

test("I3, I4, PR-7: half, kill -9, other half: the counters go on, both halves are there, and the rows tell it", async () => {
  const { project, play, agent } = looping();
  const half = { write: "half.txt", text: "half" };
  play(half, { use: 0.1, tokens: 1_000 }, { end: "unfinished" }, { use: 0.2 }, { crash: true });
  const loop = ["loop", "make both", "--validate", "test -f half.txt -a -f rest.txt", "--max-iterations=3", "--yes"];
  const killed = await project.harness(...loop, ...agent);
  expect(killed.signal).toBe("SIGKILL");
  play({ write: "rest.txt", text: "rest" }, { use: 0.3, tokens: 2_000 }, { say: "TASK_COMPLETE" });
  const resumed = await project.harness("loop", "--resume", "--yes", ...agent);
  expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining("limits   2 of 3 iterations are used")]);
  expect(resumed.stdout).toContain("done     make both (3 iterations, ");
  const rows = JSON.parse((await project.must("runs", "--json")).stdout) as readonly (Row & object)[];
  const about = { objective: "make both", max_iterations: 3, completion_promise: "TASK_COMPLETE", task: "task-001" };
  expect(rows).toEqual([
    expect.objectContaining({ ...about, status: "lost", iteration_count: 2, cost_usd: 0.1, tokens: 1_000 }),
    expect.objectContaining({ ...about, status: "completed", iteration_count: 3, cost_usd: 0.3, tokens: 2_000 }),
  ]);
  const text = (await project.must("runs")).stdout;
  expect(text).toContain("completed  3/3 iterations  $0.30");
});

test("I4: a limit that was reached is raised by resuming a run by its id; other words are asked for then", async () => {
  const { project, play, agent } = looping();
  play({ append: "a.txt", text: "x" }, { end: "unfinished" });
  const first = await project.harness(
    "loop",
    "go on",
    "--validate",
    "true",
    "--max-iterations",
    "2",
    "--yes",
    ...agent,
  );
  expect(first.code).toBe(5);
  const [row] = JSON.parse((await project.must("runs", "--json")).stdout) as readonly Row[];
  const again = await project.harness("loop", "--resume", "--run-id", row?.run_id ?? "", "--yes", ...agent);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("allow more: --max-iterations 4")]);
  play({ append: "a.txt", text: "x" }, { say: "ALL DONE" });
  const more = ["--max-iterations", "3", "--completion-promise", "ALL DONE"];
  const resumed = await project.harness(
    "loop",
    "--resume",
    "--run-id",
    (row?.run_id ?? "").slice(0, 8),
    ...more,
    "--yes",
    ...agent,
  );
  expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining("limits   2 of 3 iterations are used")]);
  expect((await project.must("logs", "-n", "100")).stdout).toContain(
    "WARN [task-001] resumed with max_iterations=3 completion_promise=ALL DONE",
  );
  const wrong = await project.harness("loop", "--resume", "--run-id", "nobody", "--yes", ...agent);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('there was no run "nobody"')]);
});

test("I3: --max-iterations=3 is --max-iterations 3; 0, less, and words are refused with a hint", async () => {
  const { project, play, agent } = looping();
  play({ append: "a.txt", text: "x" }, { end: "unfinished" });
  for (const amount of ["0", "-1", "many", "1.5", ""]) {
    const refused = await project.harness("loop", "x", `--max-iterations=${amount}`, "--yes", ...agent);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("whole number from 1 to 10000")]);
  }
  const ended = await project.harness("loop", "x", "--validate", "true", "--max-iterations=3", "--yes", ...agent);
  const [row] = JSON.parse((await project.must("runs", "--json")).stdout) as readonly object[];
  expect([ended.code, row]).toEqual([
    5,
    expect.objectContaining({ iteration_count: 3, max_iterations: 3, status: "limit" }),
  ]);
});
