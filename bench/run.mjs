// `npm run bench`: builds the program, bundles the measurements and runs them.
//
//   --quick                  few rounds and smaller journals
//   --docs                   writes the table into docs/performance.md
//   HARNESS_BENCH_ONLY=M2,M4 only these
//   HARNESS_BENCH_TASKS=1000 so many tasks for M7, whatever the lanes

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const outfile = join(import.meta.dirname, ".build/main.mjs");

execFileSync(join(root, "harness"), ["--prepare-only"], { stdio: "inherit" });
await build({
  absWorkingDir: root,
  entryPoints: ["bench/main.ts"],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["libsql"],
  banner: { js: 'import { createRequire as __r } from "node:module"; const require = __r(import.meta.url);' },
  logLevel: "warning",
});
// Certificates that a Node start loads only where this is set would make every floor higher and every ratio better.
const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env;
const { status } = spawnSync(process.execPath, ["--expose-gc", outfile, ...process.argv.slice(2)], {
  cwd: root,
  env,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
