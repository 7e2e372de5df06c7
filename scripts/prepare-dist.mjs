// vitest's global set-up for e2e: those tests run the built program, which must be the one of these sources.

import { execFileSync } from "node:child_process";
import { join } from "node:path";

export function setup() {
  execFileSync(join(import.meta.dirname, "../harness"), ["--prepare-only"], { stdio: "inherit" });
}
