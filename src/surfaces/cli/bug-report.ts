// A report about a bug of ours, for whoever mends it. Synchronous: the process is about to end.
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { createUserRedactor } from "../../kit/known-secrets.ts";
import type { Environment } from "../../runtime/project.ts";

export interface BugFacts {
  readonly version: string;
  readonly argv: readonly string[];
  readonly env: Environment;
}

/** The path of the report. It never holds a secret we know of, and only this user may read it. */
export function writeBugReport(error: unknown, { version, argv, env }: BugFacts): string {
  const path = join(tmpdir(), `harness-bug-${Date.now()}-${process.pid}.txt`);
  const text = [
    `harness ${version}, node ${process.version}, ${process.platform} ${process.arch}`,
    `argv: ${JSON.stringify(argv)}`,
    `cwd: ${process.cwd()}`,
    "",
    inspect(error),
    "",
  ].join("\n");
  writeFileSync(path, createUserRedactor(env).redact(text), { mode: 0o600, flag: "wx" });
  return path;
}
