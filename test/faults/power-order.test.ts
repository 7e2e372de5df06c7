// The order of syncs, seen from outside: whatever `init` leaves has its name on the disk before it answers. No file
// system in use loses a folder below a synced one, so only the calls themselves can show that a sync is missing.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { cli, createTestProject } from "../e2e/project.ts";

const calls = "mkdir,mkdirat,openat,rename,renameat,renameat2,link,linkat,fsync,fdatasync";

interface Call {
  readonly name: string;
  readonly text: string;
}

/** Successful calls of all threads, in order. */
function traced(args: readonly string[], options: { readonly cwd: string; readonly env: Record<string, string> }) {
  const trace = join(options.env.HOME ?? "", "trace.txt");
  const strace = ["-f", "-y", "-z", "-qq", "-s", "4096", "-e", `trace=${calls}`, "-e", "signal=none", "-o", trace];
  execFileSync("strace", [...strace, process.execPath, cli, ...args], { ...options, stdio: "ignore" });
  const lines = readFileSync(trace, "utf8").split("\n");
  return lines.flatMap((line): readonly Call[] => {
    const [, name, text] = /^\d+ +(\w+)\((.*)\) += \d+/.exec(line) ?? [];
    return name === undefined || text === undefined ? [] : [{ name, text }];
  });
}

/** The path that a call gives a name to, if it does. */
function named({ name, text }: Call): string | null {
  const quoted = [...text.matchAll(/"([^"]*)"/g)].map(([, path]) => path ?? "");
  if (name === "openat") return text.includes("O_CREAT") ? (quoted[0] ?? null) : null;
  return /sync$/.test(name) ? null : (quoted.at(-1) ?? null);
}

const synced = ({ name, text }: Call): string | null =>
  /sync$/.test(name) ? (/^\d+<(.*)>$/.exec(text)?.[1] ?? null) : null;

const everythingIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

test("PR-1: init answers only when every folder and file it made is named on the disk", () => {
  const project = createTestProject();
  const home = join(project.place, "home");
  const states = join(home, "a", "b", "states");
  const seen = traced(["init", "--yes"], { cwd: project.root, env: { ...project.env, HARNESS_STATE_HOME: states } });
  const left = [...everythingIn(home), ...everythingIn(project.root)].filter((path) => !path.includes("/.git/"));
  const made = left.filter((path) => seen.some((call) => named(call) === path));
  const unsynced = made.filter((path) => {
    const lastNamed = seen.findLastIndex((call) => named(call) === path);
    return !seen.slice(lastNamed).some((call) => synced(call) === dirname(path));
  });
  // The trace is read as it should be: the journal and each new folder above it are among what was made.
  expect(made).toEqual(expect.arrayContaining([join(home, "a"), join(home, "a", "b"), states]));
  expect(made.filter((path) => /\/(journal\.db|id|root|harness-tasks\.json)$/.test(path)).length).toBe(4);
  // Opened again at every use, but it was named by the first.
  expect(unsynced.filter((path) => !/harness-progress\.txt$|\/views(\/(status|tasks)\.json)?$/.test(path))).toEqual([]);
});
