import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { Trap } from "../corpus/git-trap.ts";
import { traps } from "../corpus/hostile-git.ts";
import { recordNumbers } from "../numbers.ts";
import { Refused, tell } from "./operations.ts";
import { recordGit, verbOf } from "./recorded-git.ts";
import { makeTrapped, plain, plantTrap, removeTemplate, type Trapped } from "./trapped.ts";

// Hundreds of real processes in each, on a loaded machine.
vi.setConfig({ testTimeout: 180_000 });

const before = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before);
});
afterAll(removeTemplate);

/** The story in a repository with these traps, in it and in every git directory that an agent or a gate could write. */
async function tellTrapped(chosen: readonly Trap[], trapped: Trapped) {
  const recorded = recordGit(trapped.directory);
  const plant = async (gitDir: string, workTree: string): Promise<Record<string, string>> => {
    let environment: Record<string, string> = {};
    for (const trap of chosen)
      environment = { ...environment, ...(await plantTrap(trap, await trapped.placeOf(trap, gitDir, workTree))) };
    return environment;
  };
  const { PATH: usual = "" } = before;
  const { PATH = usual, ...environment } = await plant(join(trapped.checkout, ".git"), trapped.checkout);
  // As for a user, whose own configuration is read for his name.
  for (const name of ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"]) delete process.env[name];
  process.env.HOME = "/nowhere";
  // What the trap puts before the usual entries stays before ours.
  Object.assign(process.env, environment, { PATH: PATH.replace(usual, `${recorded.path}:${usual}`) });
  const home = join(trapped.directory, "state");
  const told = tell({ checkout: trapped.checkout, home, plant: async (...at) => void (await plant(...at)) });
  const { refusal, unfit, held } = await told.then(
    (ends) => ({ refusal: null, ...ends }),
    (error: unknown) => {
      if (error instanceof Refused) return { refusal: error.message, unfit: null, held: null };
      throw error;
    },
  );
  return { refusal, unfit, held, calls: recorded.calls(), children: recorded.children() };
}

const groups = new Map<string, readonly Trap[]>();
for (const trap of traps) groups.set(trap.group, [...(groups.get(trap.group) ?? []), trap]);
const isGit = ([program = ""]: readonly string[]): boolean => program === "git" || program.endsWith("/git");

test.each([...groups.keys()])(
  "PR-12: no call of ours runs a program of the repository's or the environment's: %s",
  async (group) => {
    const chosen = groups.get(group) ?? [];
    const trapped = await makeTrapped();
    const { refusal, unfit, held, children, calls } = await tellTrapped(chosen, trapped);
    expect(await trapped.sprung()).toEqual([]);
    expect(children.filter((child) => !isGit(child))).toEqual([]);
    expect(calls.length).toBeGreaterThan(chosen.some(({ refused }) => refused) ? 0 : 100);
    const told = chosen.some(({ refused }) => refused) ? expect.stringContaining("not UTF-8") : null;
    expect(refusal).toEqual(told);
    // Where the trap has git convert files, work in place is refused.
    expect(unfit ?? "git converts files of it").toMatch(/^git converts files of /);
    // Where it has git convert all files, or makes the repository one without a work tree, the checkout is not moved.
    expect(held ?? "files need your own git").toMatch(/files need your own git|must be run in a work tree/);
  },
);

/** Verbs of git as they are written in the source: the first word of a list of arguments. */
function verbsInSource(directory: string, known: ReadonlySet<string>): Set<string> {
  const verbs = new Set<string>();
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/^[^.]+\.ts$/.test(entry.name)) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
    for (const [, verb = ""] of text.matchAll(/\[\s*"([a-z][a-z-]+)"/g)) if (known.has(verb)) verbs.add(verb);
  }
  return verbs;
}

/** Verbs that the story leaves out, each with the reason. */
const notTold = {
  "checkout-index": "only to take back an accept that died half-way; one that a filter would touch is refused before",
  push: "the user's own git, run on his word with his settings",
};

test("PR-12: the story reaches every verb of git that the source names", async () => {
  const trapped = await makeTrapped();
  const { calls, unfit, held } = await tellTrapped([], trapped);
  expect([unfit, held]).toEqual([null, null]);
  const used = new Set(calls.map(verbOf));
  const known = new Set((await plain("/", "--list-cmds=builtins")).split("\n"));
  const source = join(import.meta.dirname, "../../src");
  const written = new Set(["git", "workspaces"].flatMap((folder) => [...verbsInSource(join(source, folder), known)]));
  expect([...written].filter((verb) => !used.has(verb)).sort()).toEqual(Object.keys(notTold));
  expect(used.size).toBeGreaterThan(15);
  const what = `${traps.length} hostile git configurations in ${groups.size} repositories, ${calls.length} calls of ${used.size} verbs in each: no program ran`;
  recordNumbers(["PR-12"], what);
});
