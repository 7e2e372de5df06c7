// What must hold before a commit, in under a minute. With `--whole`, before a push: everything but for the real agents,
// which are `--agents`, and what more of the same finds, which is `--deep`.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inMemory } from "./memory-folder.mjs";
import { writePromises } from "./promises.mjs";
import { runStages } from "./steps.mjs";

const results = mkdtempSync(join(tmpdir(), "harness-check-"));

const needs = node(
  ...["needs", "scripts/need.mjs", "bwrap", "cc", "faketime", "fish", "git", "python3", "setpriv", "strace"],
  ...["tmux", "zsh"],
  ...["--if-root", "cargo", "go", "mkfs.ext4", "mkfs.xfs"],
);
const lock = { name: "lock", command: ["npm", "ci", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund"] };
const lint = node("format and lint", "node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", ".");
// By its own path: node_modules/.bin/tsc is TypeScript 6, which dependency-cruiser needs and which is slower.
const types = node("types", "node_modules/typescript-native/bin/tsc");
const unused = node("unused code", "node_modules/knip/bin/knip.js");
const mutants = counted("mutants", (file) => ["scripts/mutants.mjs", "--third", `--counts=${file}`]);
const memory = mkdtempSync(join(tmpdir(), "hm-"));

// Two at a time, the longest first.
const quick = [[simulation(250), inMemory(project("unit"), memory), project("architecture"), types, lint, unused]];
const whole = [
  [needs],
  [inMemory(project("unit"), memory), project("architecture"), lock, unused, lint, types],
  // Two at a time, the longest first, so that neither core ends alone. What is about disks stays on one.
  [
    ...[inMemory(project("e2e"), memory), inMemory(project("real"), memory), project("faults"), project("journals")],
    // It takes both cores once it is alone.
    simulation(2_000),
  ],
];
const agents = [[project("agents")]];
const deep = [[needs], [simulation(10_000), inMemory(mutants, memory)]];
const extents = { "--quick": quick, "--whole": whole, "--agents": agents, "--deep": deep };

process.chdir(join(import.meta.dirname, ".."));
const extent = process.argv[2] ?? "--quick";
process.env.HARNESS_NUMBERS = join(results, "numbers.ndjson");
process.exitCode = await runStages(extents[extent]);
const command = { "--whole": "npm test", "--deep": "npm run test:deep" }[extent];
if (command && process.exitCode === 0) writePromises(results, command);
rmSync(results, { recursive: true });
rmSync(memory, { recursive: true });

function node(name, ...args) {
  return { name, command: [process.execPath, ...args] };
}

function counted(name, args) {
  const counts = join(results, `${name}.json`);
  return { ...node(name, ...args(counts)), counts };
}

function project(name) {
  return counted(name, (file) => [
    ...["node_modules/vitest/vitest.mjs", "run", `--project=${name}`],
    ...["--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
  ]);
}

function simulation(schedules) {
  // A mission has two or three runs: with 10,000 schedules they are more than 100,000.
  const ledger = String(Math.round(4.15 * schedules));
  return { ...project("simulation"), env: { HARNESS_SIM_SCHEDULES: String(schedules), HARNESS_LEDGER_RUNS: ledger } };
}
