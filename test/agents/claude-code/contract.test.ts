// The contract of drivers, kept by the real Claude Code.
import { afterEach } from "vitest";
import { describeDriver } from "../../../src/drivers/driver.contract.ts";
import type { AgentRequest, Driver } from "../../../src/drivers/driver.ts";
import { driverWith, strike } from "./stage.ts";

afterEach(strike);

describeDriver("claude-code", {
  greeting: () => driverWith("greeting").driver,
  acting: () => driverWith("acting").driver,
  hanging: () => driverWith("hanging").driver,
  hangsWithinMs: 10_000,
  crashing: () => crashing(driverWith("silent").driver),
  flooding: () => driverWith("flood").driver,
});

/** Claude Code waits for an answer that never comes, and dies of a signal that nobody sends to end a program. */
const crashing = (driver: Driver): Driver => ({
  async *run(request, signal) {
    let pid = 0;
    const announce: AgentRequest["announce"] = (identity) => {
      pid = identity.pid;
      return request.announce(identity);
    };
    for await (const event of driver.run({ ...request, announce }, signal)) {
      yield event;
      if (event.type === "began") process.kill(pid, "SIGSEGV");
    }
  },
});
