// Caps on money, tokens and time, with real processes: what is begun, what a person reads, and that no restart forgets.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StatusView } from "../../src/protocol/view.ts";
import { createTestProject, type TestProject } from "./project.ts";

/** Agents that never come to an end, and tell what each of their iterations used. */
async function createSpending(steps: readonly object[], tasks = 1): Promise<{ project: TestProject; run: string[] }> {
  const project = createTestProject();
  const script = join(project.place, "script.json");
  writeFileSync(script, JSON.stringify({ default: [...steps, { end: "unfinished" }] }));
  await project.must("init", "--yes");
  for (let task = 1; task <= tasks; task++) await project.must("add", `Task ${task}`, "--validate", "true");
  return { project, run: ["run", "--agent", "scripted", "--agent-script", script] };
}
const budgetOf = async (project: TestProject) =>
  (JSON.parse((await project.must("status", "--json")).stdout) as StatusView).budget;
/** Each iteration tells of one turn. */
const started = async (project: TestProject): Promise<number> =>
  (JSON.parse((await project.must("status", "--json")).stdout) as StatusView).used.turns;

test("B2, PR-6, PR-7: a dollar and iterations of thirty cents on four lanes: three are begun, exit 6, and a restart begins none", async () => {
  const { project, run } = await createSpending([{ use: 0.3 }], 4);
  project.configureUser({ perIterationUsd: 0.3 });
  const first = await project.harness(...run, "--lanes", "4", "--max-cost-usd", "1.00");
  const said = `${first.stdout}${first.stderr}`;
  expect([first.code, await started(project)]).toEqual([6, 3]);
  expect(said).toContain("WARN budget: $0.90 of $1.00 used");
  expect(said).toContain("ended: what it may use is used up; all work is kept – the budget is used up: $0.90 of $1.00");
  expect(said).toContain("next: `harness run --max-cost-usd`");
  expect(await budgetOf(project)).toEqual({
    caps: { usd: 1, tokens: null, minutes: null },
    charged: { usd: 0.9, tokens: 0, minutes: 0 },
    reserved: { usd: 0, tokens: 0 },
    over: { usd: 0, tokens: 0 },
    untold: { usd: 0, tokens: 0 },
    reached: "usd",
  });
  const again = await project.harness(...run, "--lanes", "4");
  expect([again.code, await started(project)]).toEqual([6, 3]);
  expect((await project.must("status")).stdout).toContain("budget    $0.90 of $1.00");
  const more = await project.harness(...run, "--lanes", "4", "--max-cost-usd", "1.30");
  expect([more.code, await started(project), (await budgetOf(project))?.charged.usd]).toEqual([6, 4, 1.2]);
});

test("B2: an agent that tells nothing is charged with all it was given; so is one that was killed with its run", async () => {
  const { project, run } = await createSpending([{ run: "test -f ../../x || kill -9 $PPID" }]);
  project.configureUser({ perIterationUsd: 0.4 });
  const killed = await project.harness(...run, "--max-cost-usd", "1");
  expect(killed.signal).toBe("SIGKILL");
  expect(await budgetOf(project)).toMatchObject({ charged: { usd: 0 }, reserved: { usd: 0.4 } });
  writeFileSync(join(project.place, "script.json"), JSON.stringify({ default: [{ end: "unfinished" }] }));
  const after = await project.harness(...run);
  // The lost one and two that told nothing: 0.4 + 0.4 + what was left.
  expect([after.code, await budgetOf(project)]).toMatchObject([
    6,
    { charged: { usd: 1 }, reserved: { usd: 0 }, untold: { usd: 1 } },
  ]);
  expect(`${after.stdout}${after.stderr}`).toContain(
    "budget: $1.00 of $1.00, $1.00 of it in full, for agents that did not tell\n",
  );
});

test("B2: asked at the end of it, `harness approve budget` allows as much again", async () => {
  const { project, run } = await createSpending([{ use: 0.5 }]);
  project.configureUser({ maxCostUsd: 1, perIterationUsd: 0.5, maxCostUsdAutoPause: true });
  const first = await project.harness(...run);
  expect([first.code, `${first.stdout}${first.stderr}`]).toEqual([
    8,
    expect.stringContaining("waiting for a person – budget: the budget is used up: $1.00 of $1.00"),
  ]);
  await project.must("approve", "budget");
  const second = await project.harness(...run);
  expect([second.code, (await budgetOf(project))?.charged.usd]).toEqual([8, 2]);
});

test("B2: an agent past the tokens it was given is ended, and the next goes on; the caps echo and hold together", async () => {
  const { project, run } = await createSpending([{ use: 0, tokens: 700 }, { use: 0, tokens: 700 }, { wait: 60_000 }]);
  project.configureUser({ perIterationTokens: 1_000 });
  const ended = await project.harness(...run, "--max-tokens=3000");
  expect(ended.code).toBe(6);
  expect(await budgetOf(project)).toMatchObject({
    caps: { tokens: 3_000 },
    charged: { tokens: 2_800 },
    reached: "tokens",
  });
});

test("B1: when the time is up a run ends at once with 6, and the work under way is kept", async () => {
  const { project, run } = await createSpending([{ write: "half.txt", text: "half" }, { wait: 600_000 }]);
  const ended = await project.harness(...run, "--max-minutes", "0.02");
  expect([ended.code, `${ended.stdout}${ended.stderr}`]).toEqual([6, expect.stringContaining("the time is used up: ")]);
  const again = await project.harness(...run);
  expect([again.code, (await project.must("status")).stdout]).toEqual([
    6,
    expect.stringContaining("[in_progress] task-001: Task 1 (0/3)"),
  ]);
});

test("B2: a cap of nothing, below nothing, or in words is refused with a hint", async () => {
  const { project, run } = await createSpending([]);
  for (const amount of ["0", "-1", "many", "1e3", "", "0.00"]) {
    const refused = await project.harness(...run, `--max-cost-usd=${amount}`);
    expect([amount, refused.code, refused.stderr]).toEqual([
      amount,
      1,
      expect.stringContaining("It must be a number above 0"),
    ]);
  }
});
