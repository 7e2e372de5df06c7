// Tests of the tests: applies each test/mutants/*.patch to a copy of the tree and expects a red suite.
//
// A patch opens with a sentence saying what it breaks and a line `Tests: …`: the vitest arguments (paths,
// --project=…) of the tests that must notice. The same tests must be green on the unchanged copy, or their red
// would prove nothing.

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "test/mutants");
const atOnce = 2;
const hangsAfterMs = 180_000;

const scratch = mkdtempSync(join(tmpdir(), "harness-mutants-"));
const greenBefore = new Map();
const waiting = patches();
const alive = [];
let killed = 0;

try {
  await Promise.all(Array.from({ length: atOnce }, (_, slot) => worker(join(scratch, `tree-${slot}`))));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

for (const line of alive) console.error(line);
console.log(`${killed} mutants noticed, ${alive.length} not`);
const counts = process.argv.find((word) => word.startsWith("--counts="))?.slice("--counts=".length);
if (counts) writeFileSync(counts, JSON.stringify({ numPassedTests: killed, numFailedTests: alive.length }));
if (alive.length > 0) process.exit(1);

function patches() {
  const names = readdirSync(folder).filter((name) => name.endsWith(".patch"));
  if (names.length === 0) throw new Error("test/mutants has no patch: nothing shows that the tests can fail");
  return names.sort().map((name) => join(folder, name));
}

async function worker(tree) {
  cpSync(root, tree, { recursive: true, filter: (path) => !["node_modules", "dist", ".git"].includes(basename(path)) });
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  for (let patch = waiting.shift(); patch; patch = waiting.shift()) {
    const complaint = await tryMutant(tree, patch);
    if (complaint) alive.push(`${basename(patch)}: ${complaint}`);
    else killed += 1;
  }
}

/** Why this mutant counts as not noticed, or undefined when the tests went red. */
async function tryMutant(tree, patch) {
  const tests = /^Tests: (.+)$/m.exec(readFileSync(patch, "utf8"))?.[1]?.trim().split(/\s+/);
  if (!tests) return "has no line `Tests: …`";
  if (!(await isGreenBefore(tree, tests))) return `${tests.join(" ")} is not green without it`;
  if ((await run(tree, "git", "apply", patch)).code !== 0) return "does not apply any more";
  const { code, failedTests } = await runMutated(tree, tests);
  await run(tree, "git", "apply", "--reverse", patch);
  if (code === 0) return `survives ${tests.join(" ")}`;
  return failedTests === 0 ? "breaks the code so that no test runs" : undefined;
}

// `--bail` can end vitest before the test that failed is in the report: then all of it decides.
async function runMutated(tree, tests) {
  const quick = await runTests(tree, ["--bail=1", ...tests]);
  return quick.code !== 0 && quick.failedTests === 0 ? runTests(tree, tests) : quick;
}

function isGreenBefore(tree, tests) {
  const key = tests.join(" ");
  if (!greenBefore.has(key)) {
    const green = runTests(tree, tests).then(({ code }) => code === 0);
    greenBefore.set(key, green);
  }
  return greenBefore.get(key);
}

async function runTests(tree, tests) {
  const report = join(tree, "..", `${basename(tree)}.json`);
  rmSync(report, { force: true });
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=json", `--outputFile.json=${report}`];
  const { code, hung } = await run(tree, process.execPath, vitest, "run", ...reporters, ...tests);
  return { code, failedTests: hung ? 1 : failedTestsIn(report) };
}

function failedTestsIn(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8")).numFailedTests;
  } catch {
    return 0; // vitest ended before any test did
  }
}

// The ceiling keeps git from taking the copy for a part of a repository above it.
function run(cwd, file, ...args) {
  const { HARNESS_NUMBERS: _ours, ...inherited } = process.env;
  const env = { ...inherited, GIT_CEILING_DIRECTORIES: scratch };
  const child = spawn(file, args, { cwd, env, stdio: "ignore", timeout: hangsAfterMs });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve({ code: code ?? 1, hung: code === null }));
  });
}
