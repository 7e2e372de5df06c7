// Keeps what V8 makes of the program, once it has done what short commands do: `compile.mjs SCRIPT`.
//
// The commands run in this process, one after the other, in a project of their own; a function that none of them calls
// is compiled when it is needed, as ever. So nothing depends on how they end, and without git less is kept.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const path = process.argv[2];
const place = mkdtempSync(join(tmpdir(), "harness-compile-"));
const compiled = join(place, "compiled.mjs");
const entry = join(import.meta.dirname, "../src/surfaces/cli/compiled.ts");
await build({ entryPoints: [entry], outfile: compiled, platform: "node", format: "esm" });
const { codeFile, run, scriptOf, withDigest } = await import(compiled);

const project = join(place, "project");
const config = join(place, "config/harness");
for (const folder of [project, config]) mkdirSync(folder, { recursive: true });
// What the machine's sandbox can do is asked by programs that we would have to wait for.
writeFileSync(join(config, "config.json"), '{ "sandbox": "off" }\n');

for (const name of Object.keys(process.env))
  if (name.startsWith("HARNESS_") || name.startsWith("GIT_")) delete process.env[name];
Object.assign(process.env, {
  HOME: place,
  XDG_CONFIG_HOME: join(place, "config"),
  HARNESS_STATE_HOME: join(place, "state"),
  HARNESS_WORKER_ID: "compile",
  GIT_CONFIG_NOSYSTEM: "1",
});
const git = (...args) =>
  spawnSync("git", ["-c", "user.name=Harness", "-c", "user.email=harness@localhost", ...args], { cwd: project });
git("init", "--quiet");
git("commit", "--quiet", "--allow-empty", "--message", "Begin");
process.chdir(project);

// What they say is nobody's business.
for (const stream of [process.stdout, process.stderr]) stream.write = (_, ...more) => more.at(-1)?.() ?? true;
const script = scriptOf(path);
const program = process.argv.slice(0, 2);
for (const command of [
  ["init", "--yes"],
  ["add", "A task", "--validate", "true"],
  ["tasks", "--json"],
  ["claim"],
  ["checkpoint", "task-001", "--step", "1", "--total", "1", "done"],
  ["renew"],
  ["done", "task-001"],
  ["status", "--json"],
]) {
  process.argv = [...program, ...command];
  await run(script, path).ended;
}
process.chdir(place);
const fresh = `${codeFile(path)}.${process.pid}.new`;
writeFileSync(fresh, withDigest(script.createCachedData()));
renameSync(fresh, codeFile(path));
rmSync(place, { recursive: true, force: true });
process.exit(0);
