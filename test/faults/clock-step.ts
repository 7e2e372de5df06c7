// A wall clock that can be set while programs run: libfaketime under the real program, told by a file.
import { execFileSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Against the true time: `+1y`, `-2d`, `+1h`, `+0`. */
export type Offset = `${"+" | "-"}${number}${"" | "h" | "d" | "y"}`;

export interface SteppedClock {
  /** Of programs that shall live by this clock; what they start with it does too. */
  readonly env: Record<string, string>;
  /** From now on, for those that run as well. */
  step(offset: Offset): void;
  /** A shell command that does the same, for agents and validations. */
  stepCommand(offset: Offset): string;
}

export interface ClockOptions {
  /** Where the file that tells the time lies. */
  readonly folder: string;
  /**
   * Also the monotonic clock, as after a sleep of the machine on systems whose clock goes on meanwhile. Only forward:
   * no system sets it back, and Node ends itself when one does.
   */
  readonly monotonic?: boolean;
}

/** `env` with a clock that stands at the true time until it is stepped. */
export function withSteppedClock(env: Readonly<Record<string, string>>, options: ClockOptions): SteppedClock {
  const file = join(options.folder, "clock");
  const step = (offset: Offset): void => {
    // Whole at every moment: programs read it at each look at the clock.
    writeFileSync(`${file}.next`, `${offset}\n`);
    renameSync(`${file}.next`, file);
  };
  step("+0");
  return {
    env: {
      ...env,
      LD_PRELOAD: libraryPath(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      // A step changes the clock, not the times that files have.
      NO_FAKE_STAT: "1",
      ...(options.monotonic !== true && { FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" }),
    },
    step,
    stepCommand: (offset) => `echo '${offset}' > '${file}.'$$ && mv '${file}.'$$ '${file}'`,
  };
}

/** As the wrapper program sets it, in the variant for programs with threads. */
function libraryPath(): string {
  return execFileSync("faketime", ["-m", "now", "printenv", "LD_PRELOAD"], { encoding: "utf8" }).trim();
}
