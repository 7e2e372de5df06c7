import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/slow-first.ts";

const inOneProcess = { pool: "threads", isolate: false } as const;

/** What git is configured to do for whoever runs the tests is not part of them. */
const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", XDG_CONFIG_HOME: "/nowhere" };
/** What is polled for comes in its own time. */
const expect = { poll: { timeout: 120_000 } };
// npm test runs two suites at a time, perhaps on a machine that has stalled for half a minute: a limit is there for
// what hangs, not for what waits for its turn. Hooks make repositories, so they get as long as tests.
const patienceMs = Number(process.env.HARNESS_TEST_PATIENCE_MS ?? 300_000);
const patience = { testTimeout: patienceMs, hookTimeout: patienceMs } as const;
const inProcesses = { pool: "forks", isolate: false, maxWorkers: 3, ...patience, env, expect } as const;

const unit = ["src/**/*.test.ts", "test/{core,runtime,tasks-file,plan-files}/**/*.test.ts"];
/** Real git and real processes, and what is tried ten thousand times: too slow for the quick check, run by npm test. */
const real = [
  "test/core/scale.test.ts",
  "test/runtime/canaries.test.ts",
  "src/workspaces/clone/{accept,accept-races,agent-habits,agent-reach,clone-workspaces,crash,hostile-git,killed-git,left-files,leftovers,mission-branch,odd-repositories,pool,rebase-crash,user-checkout,user-settings}.test.ts",
  "src/workspaces/in-place/{any-start,checkout,in-place-workspaces,one-lane}.test.ts",
  "src/workspaces/worktree/{set-up,worktree-workspaces,zoo}.test.ts",
  "src/git/rescue/*.test.ts",
  "src/stores/sqlite/writers.test.ts",
  "src/runtime/views/publishing.test.ts",
  "test/lock/*.test.ts",
  "test/git/*.test.ts",
  "test/workspaces/*.test.ts",
];

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      // In worker threads Node closes descriptors it has lost, so named pipes need a process of their own.
      { test: { name: "unit", include: unit, exclude: real, ...inProcesses } },
      { test: { name: "real", include: real, ...inProcesses } },
      {
        test: {
          name: "architecture",
          include: ["test/architecture/**/*.test.ts"],
          ...inOneProcess,
          ...patience,
        },
      },
      {
        test: {
          name: "simulation",
          include: ["test/simulation/**/*.test.ts"],
          ...inOneProcess,
          env: { HARNESS_SIM_SCHEDULES: process.env.HARNESS_SIM_SCHEDULES ?? "500" },
          // Minutes on two idle cores; they may be busy.
          testTimeout: 1_800_000,
        },
      },
      { test: { name: "journals", include: ["test/journals/**/*.test.ts"], ...inOneProcess, ...patience } },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          pool: "forks",
          isolate: false,
          expect,
          // They wait for processes more than they work.
          maxWorkers: 3,
          globalSetup: "scripts/prepare-dist.mjs",
          ...patience,
        },
      },
      // Not part of npm test: needs the registry once, and real agents (npm run test:agents).
      {
        test: {
          name: "agents",
          include: ["test/agents/**/*.test.ts"],
          pool: "forks",
          isolate: false,
          // Each test waits for a program that takes a core to start.
          maxWorkers: 1,
          globalSetup: ["scripts/prepare-dist.mjs", "test/agents/install.ts"],
          ...patience,
        },
      },
      // Not part of npm test: the user's own agent, login and money (npm run live).
      {
        test: {
          name: "live",
          include: ["test/live/**/*.test.ts"],
          pool: "forks",
          isolate: false,
          maxWorkers: 1,
          globalSetup: "scripts/prepare-dist.mjs",
          ...patience,
          testTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          pool: "forks",
          isolate: false,
          expect,
          maxWorkers: 3,
          globalSetup: "scripts/prepare-dist.mjs",
          ...patience,
          // With HARNESS_CHAOS=all one test makes thousands of processes.
          testTimeout: 14_400_000,
        },
      },
    ],
  },
});
