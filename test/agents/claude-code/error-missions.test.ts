import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withClaudeCode } from "./user.ts";

test.for([
  ["cut"],
  ["dropped"],
  ["empty"],
  ["mute"],
  ["forbidden"],
  ["output-limit"],
  ["overloaded"],
  ["overloaded-in-stream"],
  ["prompt-too-long"],
  ["refusal"],
  ["rate-limited"],
  ["rate-limited-once"],
  ["server-error"],
  ["no-credit"],
  ["unauthorised"],
  ["usage-limit"],
  ["loop", { options: { args: ["--max-turns", "2"] } }],
  ["loop", { options: { maxBudgetUsd: 1 } }],
  ["works", { options: { permissionMode: "dontAsk" } }],
  ["background"],
] as const)("%s", async ([scenario, agent]) => {
  const { project } = await withClaudeCode(
    scenario,
    undefined,
    agent === undefined ? {} : { agent: { use: "claude-code", ...agent } },
  );
  await project.must("init", "--yes");
  await project.must("add", "Write a", "--validate", "test -f a.txt");
  const began = performance.now();
  const run = await project.harness("run", "--once", ...(agent === undefined ? ["--agent", "claude-code"] : []));
  const [task] = JSON.parse((await project.must("status", "--json")).stdout).tasks;
  writeFileSync(
    "/work/explore.txt",
    `== ${scenario} ${JSON.stringify(agent)} code=${run.code} attempts=${task.attempts} status=${task.status} ${Math.round(performance.now() - began)} ms\n${run.stdout}\n-- ${run.stderr}\n`,
    { flag: "a" },
  );
  expect(1).toBe(1);
});
