// PR-7, U1: what a program may use holds for it and for all that it starts.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listProcesses, readVariable } from "./process-table.ts";
import { runProcess } from "./run-process.ts";

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "resource-watch-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const roomy = { memoryBytes: 4e9, processes: 5_000, openFiles: 4_096 };
const sh = (command: string, limits: Partial<typeof roomy> = {}) =>
  runProcess({
    argv: ["/bin/sh", "-c", command],
    cwd,
    env: { PATH: process.env.PATH ?? "" },
    announce: async () => true,
    marker: cwd,
    limits: { ...roomy, ...limits },
  });

async function survivors(): Promise<number> {
  const marks = await Promise.all((await listProcesses()).map(({ pid }) => readVariable(pid, "HARNESS_PROCESS")));
  return marks.filter((mark) => mark?.startsWith(`${cwd}@`)).length;
}

// Each child has a session of its own: neither the group nor its leader tells of it.
const many = (start: string) => `i=0; while [ $i -lt 60 ]; do ${start} sleep 1000 & i=$((i+1)); done; wait`;

test.each([
  ["in its group", many("")],
  ["in sessions of their own", many("setsid")],
])("PR-7, U1: more processes than allowed end the program and leave none: %s", async (_where, command) => {
  const { end, breach } = { breach: null, ...(await sh(command, { processes: 50 })) };
  expect({ end, breach }).toEqual({
    end: "exceeded",
    breach: { what: "processes", limit: 50, seen: expect.any(Number) },
  });
  expect(await survivors()).toBe(0);
});

test("PR-7, U1: a fork bomb is stopped while it grows, and nothing of it is left", async () => {
  const result = await sh("bomb() { bomb | bomb & }; bomb; sleep 1000", { processes: 100 });
  expect(result.end).toBe("exceeded");
  expect(await survivors()).toBe(0);
});

test("PR-7, U1: a program past its memory is ended, also if its children have it", async () => {
  // A shell that becomes `sleep` would have let go of it, hence the last word.
  const hog = '(x=$(head -c 60000000 /dev/zero | tr "\\0" x); sleep 1000; :) &';
  const { end, breach } = {
    breach: null,
    ...(await sh(`${hog} ${hog} wait`, { memoryBytes: 1e8 })),
  };
  expect({ end, breach }).toEqual({
    end: "exceeded",
    breach: { what: "memory", limit: 1e8, seen: expect.any(Number) },
  });
});

test("PR-7, U1: within its limits nothing happens to it, and it sees how many files it may open", async () => {
  const result = await sh("ulimit -H -n; sh -c 'ulimit -H -n'");
  expect([result.end, result.output]).toEqual(["exited", "4096\n4096\n"]);
});
