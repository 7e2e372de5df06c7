import { expect, test } from "vitest";
import { readText } from "./files.ts";
import { answer } from "./refusal.ts";

// The memory of a process has no byte at its beginning.
test.skipIf(process.platform !== "linux")(
  "PR-18: a file that cannot be read is named, with the next step",
  async () => {
    expect(await answer(() => readText("/proc/self/mem", 100))).toEqual({
      ok: false,
      failure: {
        kind: "env_setup",
        message: "the workspace's files could not be reached: EIO: i/o error, read '/proc/self/mem'",
        remedy: "remove the cause, then try again",
      },
    });
  },
);
