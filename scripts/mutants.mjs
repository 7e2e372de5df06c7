// Tests of the tests: applies each test/mutants/*.patch to a copy of the tree and expects a red suite.
//
// A patch opens with a sentence saying what it breaks and a line `Tests: …`: the vitest arguments (--project=…, paths,
// -t …) of the tests that must notice. On the unchanged copy the same tests must be green, or their red would prove
// nothing: those of all mutants of a project run there together, and only a test that passed then can notice.
//
//   word …    only those whose names hold a word
//   --third   a third of them, another one with each commit, and those that are always tried

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "test/mutants");
/** One more than there are cores in a small machine: they wait for processes too. */
const atOnce = 3;
const hangsAfterMs = 180_000;
const allHangAfterMs = 900_000;
/** What a planted fault makes wait for ever is waited for no longer than this, and has failed then. */
const mutatedPatienceMs = 60_000;
/** What the promises rest on most. */
const always = ["commit-not-synced", "fence-not-checked", "lease-by-wall-clock", "synchronous-off"].map(
  (name) => `${name}.patch`,
);
/** What takes longest begins first. */
const slowest = ["faults", "simulation", "real", "unit"];

const scratch = mkdtempSync(join(tmpdir(), "harness-mutants-"));
const alive = [];
const running = new Set();
let killed = 0;

// Another step of the check failed: what is under way here is of no use any more.
process.once("SIGTERM", () => {
  for (const child of running) child.kill();
  rmSync(scratch, { recursive: true, force: true });
  process.exit(1);
});

try {
  const mutants = readMutants();
  const trees = Array.from({ length: atOnce }, (_, slot) => makeTree(join(scratch, `tree-${slot}`)));
  const before = new Map();
  await share(trees, [...new Set(mutants.map(({ group }) => group))], async (tree, group) => {
    const members = mutants.filter((mutant) => mutant.group === group);
    before.set(group, await runTests(tree, together(members), allHangAfterMs));
  });
  // Those that have their turn with another commit must be fit for it.
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".patch")))
    if ((await run(trees[0], hangsAfterMs, "git", "apply", "--check", join(folder, name))).code !== 0)
      alive.push(`${name}: does not apply any more`);
  await share(trees, mutants, async (tree, mutant) => {
    const complaint = await tryMutant(tree, mutant, before.get(mutant.group));
    if (complaint) alive.push(`${mutant.name}: ${complaint}`);
    else killed += 1;
  });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

for (const line of alive) console.error(line);
console.log(`${killed} mutants noticed, ${alive.length} not`);
const counts = process.argv.find((word) => word.startsWith("--counts="))?.slice("--counts=".length);
if (counts) writeFileSync(counts, JSON.stringify({ numPassedTests: killed, numFailedTests: alive.length }));
if (alive.length > 0) process.exit(1);

/** All of test/mutants, or those whose names hold a word of the command line. */
function readMutants() {
  const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const names = readdirSync(folder).filter((name) => name.endsWith(".patch"));
  const named = names.sort().filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
  const chosen = process.argv.includes("--third") ? thirdOf(named) : named;
  if (chosen.length === 0) throw new Error("test/mutants has no such patch: nothing shows that the tests can fail");
  const placeOf = ({ project }) => slowest.indexOf(project);
  return chosen.map(readMutant).sort((a, b) => placeOf(a) - placeOf(b));
}

function thirdOf(names) {
  const head = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).stdout;
  const turn = Number.parseInt(head.slice(0, 8), 16) % 3 || 0;
  return names.filter((name, n) => n % 3 === turn || always.includes(name));
}

function readMutant(name) {
  const patch = join(folder, name);
  const line = /^Tests: --project=(\S+) (.+?)(?: -t (\S+))?$/m.exec(readFileSync(patch, "utf8"));
  if (!line) throw new Error(`${name} has no line \`Tests: --project=… paths… [-t …]\``);
  const [, project, paths, title] = line;
  const group = `${project} ${title === undefined ? "whole files" : "by title"}`;
  return { name, patch, project, paths: paths.split(/\s+/), title, group };
}

/** The tests of several mutants as the arguments of one run; their titles may choose one more test than is needed. */
function together(mutants) {
  const paths = [...new Set(mutants.flatMap((mutant) => mutant.paths))];
  const titles = [...new Set(mutants.flatMap(({ title }) => title ?? []))];
  const chosen = titles.length === 0 ? [] : ["-t", titles.map((title) => `(?:${title})`).join("|")];
  return [`--project=${mutants[0].project}`, ...paths, ...chosen];
}

function makeTree(tree) {
  cpSync(root, tree, { recursive: true, filter: (path) => !["node_modules", "dist", ".git"].includes(basename(path)) });
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  return tree;
}

async function share(trees, jobs, perform) {
  const waiting = [...jobs];
  await Promise.all(
    trees.map(async (tree) => {
      for (let job = waiting.shift(); job; job = waiting.shift()) await perform(tree, job);
    }),
  );
}

/** Why this mutant counts as not noticed, or undefined when a test that was green before went red. */
async function tryMutant(tree, mutant, before) {
  const tests = together([mutant]);
  const ofIts = (test) => mutant.paths.some((path) => test.startsWith(path));
  const green = new Set(before.passed.filter(ofIts));
  const red = before.failed.filter(ofIts);
  if (red.length > 0 || green.size === 0) return `${tests.join(" ")} is not green without it ${red}`;
  if ((await run(tree, hangsAfterMs, "git", "apply", mutant.patch)).code !== 0) return "does not apply any more";
  const { code, hung, failed } = await runMutated(tree, tests);
  await run(tree, hangsAfterMs, "git", "apply", "--reverse", mutant.patch);
  if (code === 0) return `survives ${tests.join(" ")}`;
  return hung || failed.some((test) => green.has(test)) ? undefined : "breaks the code so that no test runs";
}

// `--bail` can end vitest before the test that failed is in the report: then all of it decides.
async function runMutated(tree, tests) {
  const env = { HARNESS_TEST_PATIENCE_MS: String(mutatedPatienceMs) };
  const quick = await runTests(tree, ["--bail=1", ...tests], hangsAfterMs, env);
  return quick.code !== 0 && quick.failed.length === 0 ? runTests(tree, tests, hangsAfterMs, env) : quick;
}

async function runTests(tree, tests, limitMs, env = {}) {
  const report = join(tree, "..", `${basename(tree)}.json`);
  rmSync(report, { force: true });
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=json", `--outputFile.json=${report}`];
  const ended = await runIn(tree, limitMs, env, process.execPath, vitest, "run", ...reporters, ...tests);
  return { ...ended, ...testsIn(report, tree) };
}

/** Each test as its file, from the top of the tree, and its whole title. */
function testsIn(report, tree) {
  let files;
  try {
    files = JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    return { passed: [], failed: [] }; // vitest ended before any test did
  }
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => ({ status, id: `${name.replace(`${tree}/`, "")}: ${fullName}` })),
  );
  const those = (status) => tests.filter((test) => test.status === status).map(({ id }) => id);
  return { passed: those("passed"), failed: those("failed") };
}

// The ceiling keeps git from taking the copy for a part of a repository above it.
function run(cwd, limitMs, file, ...args) {
  return runIn(cwd, limitMs, {}, file, ...args);
}

function runIn(cwd, limitMs, more, file, ...args) {
  const { HARNESS_NUMBERS: _ours, ...inherited } = process.env;
  const env = { ...inherited, ...more, GIT_CEILING_DIRECTORIES: scratch };
  const began = performance.now();
  const child = spawn(file, args, { cwd, env, stdio: "ignore", timeout: limitMs });
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      running.delete(child);
      // A test runner that is asked to end does so with a code of its own.
      resolve({ code: code ?? 1, hung: code === null || performance.now() - began >= limitMs });
    });
  });
}
