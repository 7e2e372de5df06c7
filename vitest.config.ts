import { defineConfig } from "vitest/config";

const inOneProcess = { pool: "threads", isolate: false } as const;

export default defineConfig({
  test: {
    projects: [
      // In worker threads Node closes descriptors it has lost, so named pipes need a process of their own.
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/{core,runtime,tasks-file}/**/*.test.ts"],
          pool: "forks",
          isolate: false,
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: "architecture",
          include: ["test/architecture/**/*.test.ts"],
          ...inOneProcess,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "simulation",
          include: ["test/simulation/**/*.test.ts"],
          ...inOneProcess,
          env: { HARNESS_SIM_SCHEDULES: process.env.HARNESS_SIM_SCHEDULES ?? "500" },
          testTimeout: 600_000,
        },
      },
      { test: { name: "journals", include: ["test/journals/**/*.test.ts"], ...inOneProcess } },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          pool: "forks",
          globalSetup: "scripts/prepare-dist.mjs",
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
