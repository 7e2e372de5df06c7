import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { describeSandbox } from "../sandbox.contract.ts";
import type { Reach } from "../sandbox.ts";
import { createBubblewrap, findBubblewrap } from "./index.ts";
import { layoutOf } from "./layout.ts";

const raw = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "true"]).status === 0;
const program = spawnSync("sh", ["-c", "command -v bwrap"], { encoding: "utf8" }).stdout.trim();

describe.runIf(raw)("bubblewrap", () => {
  const directory = mkdtempSync(join(tmpdir(), "harness-bwrap-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  describeSandbox("bubblewrap", () => createBubblewrap(program, directory));

  test("PR-10: the probe finds nothing to complain of, with and without a network", async () => {
    for (const network of [true, false]) expect(await probeWith(program, { network })).toBe(null);
  });

  test.runIf(process.getuid?.() === 0)(
    "PR-10: all who begin at once in a new state home find root's devices",
    async () => {
      const sandbox = createBubblewrap(program, folder());
      const reach = { hidden: [], read: [], write: [], network: true };
      const all = await Promise.all(Array.from({ length: 20 }, () => sandbox.confine(["true"], "/", reach)));
      const copied = all.map(({ argv }) => argv.filter((word) => word === "--dev-bind").length);
      expect(copied).toEqual(copied.map(() => 6));
    },
  );

  test("PR-10: the probe sees a home that is not hidden", async () => {
    expect(await probeWith(program, { hidden: [] })).toMatch(/^in a trial, a program in it could read /);
  });
});
test.skipIf(raw)(
  "no sandbox on this machine: `bwrap --ro-bind / / --unshare-pid true` does not work here",
  () => undefined,
);

/** With a home that holds a key, in a state home of its own. */
async function probeWith(path: string, more: Partial<Reach> = {}): Promise<string | null> {
  const top = folder();
  const [home, directory] = [join(top, "home"), join(top, "state")];
  for (const each of [home, directory]) mkdirSync(each);
  writeFileSync(join(home, "key"), "key\n");
  const reach = { hidden: ["/tmp", tmpdir(), home, directory], read: [], write: [], network: true, ...more };
  const found = await createBubblewrap(path, top).probe(reach, {
    directory,
    env: { PATH: process.env.PATH ?? "", HOME: home },
  });
  expect(readdirSync(directory)).toEqual([]);
  return found;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "harness-bwrap-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function fake(script: string): string {
  const file = join(folder(), "bwrap");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const unconfined = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';
test.each([
  ["exits at once", "exit 1", "bwrap did not run what it was given (exited, exit 1)"],
  ["does nothing, and says it went well", "exit 0", "bwrap did not run what it was given (exited, exit 0)"],
  [
    "cannot make namespaces",
    "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",
    "bwrap: No permissions to create new namespace",
  ],
  ["runs the program unconfined", unconfined, "in a trial, a program in it could read the state home"],
  [
    "says what we want to hear, and writes elsewhere",
    `printf 'workspace\\ntemp\\ngit\\nend\\n'; ${unconfined} > /dev/null`,
    "in a trial, a program in it could write outside its workspace",
  ],
])("PR-10: the probe is not passed by a bwrap that %s", async (_what, script, complaint) => {
  expect(await probeWith(fake(script))).toBe(complaint);
});

test("PR-10: bwrap is not taken from where an agent or a repository can write, nor from a relative directory", async () => {
  const file = fake("exit 0");
  const directory = file.slice(0, -"/bwrap".length);
  expect(await findBubblewrap(`.:${directory}`, [])).toBe(file);
  expect(await findBubblewrap(`.:bin:${directory}`, [directory])).toBe(null);
});

test("rules are laid from the top down, the widest for each path, and none that says what holds anyway", () => {
  const reach = {
    network: true,
    hidden: ["/h", "/h/a/key", "/h/b"],
    read: ["/h/a", "/usr", "/h/b/c"],
    write: ["/h/b"],
  };
  expect(layoutOf(reach)).toEqual([
    { how: "hidden", path: "/h" },
    { how: "read", path: "/h/a" },
    { how: "write", path: "/h/b" },
    { how: "hidden", path: "/h/a/key" },
    { how: "read", path: "/h/b/c" },
  ]);
});
