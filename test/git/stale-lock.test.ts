// Whether a lock file that a git left behind is taken away, among real processes.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { removeIfStale } from "../../src/git/stale-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "harness-stale-lock-"));
const commonDir = join(folder, "project/.git");
const lock = join(commonDir, "packed-refs.lock");
const program = join(folder, "remover.mjs");
beforeAll(async () => {
  mkdirSync(commonDir, { recursive: true });
  // The oldest Node cannot run TypeScript.
  const entryPoints = [fileURLToPath(new URL("./lock-remover.ts", import.meta.url))];
  await build({ entryPoints, outfile: program, bundle: true, platform: "node", format: "esm" });
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => writeFileSync(lock, ""));

test("PR-5: two who find the same stale lock at once both go on", async () => {
  expect(await Promise.all([removeIfStale(lock, commonDir), removeIfStale(lock, commonDir)])).toEqual([true, true]);
  expect(readdirSync(commonDir)).toEqual([]);
});

test("PR-20: a lock that a process has open stays, however often it is looked at", async () => {
  const held = openSync(lock, "r");
  const holder = spawn("sleep", ["1000"], { stdio: [held, "ignore", "ignore"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder, "spawn");
  expect([await removeIfStale(lock, commonDir), existsSync(lock)]).toEqual([false, true]);
});

const nobody = "65534";

/** Alone with a git that has ended and that nobody has collected. */
const alone = ["--pid", "--fork", "--mount-proc", "setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups"];
const besideTheDead = ["sh", "-c", 'git version > /dev/null & exec "$0" "$@"', process.execPath];

describe.runIf(process.getuid?.() === 0)("as any user", () => {
  test("PR-5: a git that has ended holds no lock, although nobody else may look at what is left of it", () => {
    chmodSync(folder, 0o755);
    chmodSync(commonDir, 0o777);
    const said = execFileSync("unshare", [...alone, ...besideTheDead, program, lock, commonDir], { encoding: "utf8" });
    expect([said, existsSync(lock)]).toEqual(["true\n", false]);
  });
});
