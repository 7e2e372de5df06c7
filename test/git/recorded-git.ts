// A program called git, found before the real one, that has the real one write down what it was called with and which
// processes it started itself.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface RecordedGit {
  /** To be put before every other entry of PATH. */
  readonly path: string;
  /** Arguments of every git that was started, by us or by git. */
  calls(): readonly (readonly string[])[];
  /** Processes that git started, as it tells of them. */
  children(): readonly (readonly string[])[];
}

interface TraceEvent {
  readonly event: string;
  readonly argv?: readonly string[];
}

export function recordGit(directory: string): RecordedGit {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const trace = join(directory, "trace");
  const path = join(directory, "bin");
  mkdirSync(path, { recursive: true });
  writeFileSync(trace, "");
  writeFileSync(join(path, "git"), `#!/bin/sh\nGIT_TRACE2_EVENT='${trace}' exec '${real}' "$@"\n`);
  chmodSync(join(path, "git"), 0o755);
  const told = (event: string): (readonly string[])[] =>
    readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): TraceEvent => JSON.parse(line))
      .filter((entry) => entry.event === event)
      .map(({ argv = [] }) => argv);
  return { path, calls: () => told("start"), children: () => told("child_start") };
}

const withValue = new Set(["-c", "-C", "--git-dir", "--work-tree", "--exec-path", "--namespace"]);

/** What git was asked to do: the first word that is neither an option of git's own nor the value of one. */
export function verbOf([, ...args]: readonly string[]): string {
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? "";
    if (!arg.startsWith("-")) return arg;
    if (withValue.has(arg)) i += 1;
  }
  return "";
}
