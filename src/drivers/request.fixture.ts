// What a run would ask of a driver, for tests of drivers.
import type { AgentRequest } from "./driver.ts";

export const requestIn = (cwd: string, more: Partial<AgentRequest> = {}): AgentRequest => ({
  task: "task-001",
  attempt: 1,
  iteration: 1,
  brief: "the brief",
  cwd,
  env: { PATH: process.env.PATH ?? "" },
  timeoutMs: 60_000,
  announce: async () => true,
  ...more,
});
