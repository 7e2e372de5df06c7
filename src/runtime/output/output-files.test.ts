import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRedactor } from "../../kit/redact.ts";
import type { Effect } from "../../protocol/effect.ts";
import type { Failure } from "../../protocol/failure.ts";
import { OutputKeeping } from "../../protocol/resources.ts";
import { createOutputFiles, keptOutput } from "./output-files.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "output-files-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const secret = "s3cret-value-of-mine";
const troubles: Failure[] = [];
const filesAt = (at: string, keeping = {}) => {
  troubles.length = 0;
  const redactor = createRedactor({ values: [secret] });
  const onTrouble = (failure: Failure) => void troubles.push(failure);
  return createOutputFiles({ home: at, keeping: OutputKeeping.parse(keeping), redactor, onTrouble });
};
const effect = (task: string, attempt = 1): Effect => ({
  kind: "workspace.archive",
  id: "e",
  run: "r",
  fence: 1,
  lane: 0,
  task,
  attempt,
  path: "/w",
});
const read = (name: string) => readFileSync(join(home, "output", name), "utf8");

test("PR-15, O1: output is kept redacted, also a secret that comes in pieces, in lines that two streams do not tear", async () => {
  const { record, close } = filesAt(home).open(effect("task-001"), "agent-1");
  await record(`out ${secret.slice(0, 8)}`, "stdout");
  await record("err 1\n", "stderr");
  await record(`${secret.slice(8)} end\nlast`, "stdout");
  await close();
  expect(read("task-001/1-agent-1.log")).toBe("err 1\nout [redacted] end\nlast");
  expect(statSync(join(home, "output/task-001/1-agent-1.log")).mode & 0o777).toBe(0o600);
});

test("O1: what printed nothing leaves no file", async () => {
  await filesAt(home).open(effect("task-001"), "validation").close();
  expect(readdirSync(home)).toEqual([]);
});

test("O1: the oldest files go when there are too many, those of an earlier process included", async () => {
  for (const attempt of [1, 2, 3, 4]) {
    // Each time as after a restart: nothing is known but what lies there.
    const { record, close } = filesAt(home, { maxFiles: 3 }).open(effect("task-001", attempt), "agent-1");
    await record("x\n", "stdout");
    await close();
  }
  expect((await keptOutput(home, "task-001")).map(({ path }) => path.slice(home.length))).toEqual([
    "/output/task-001/2-agent-1.log",
    "/output/task-001/3-agent-1.log",
    "/output/task-001/4-agent-1.log",
  ]);
});

test("O1: the oldest files go when they are too large together", async () => {
  const files = filesAt(home, { maxFileMb: 1, maxTotalMb: 1 });
  for (const task of ["a", "b", "c"]) {
    const { record, close } = files.open(effect(task), "agent-1");
    await record(`${"x".repeat(399_999)}\n`, "stdout");
    await close();
  }
  expect(["a", "b", "c"].map((task) => readdirSync(join(home, "output", task)).length)).toEqual([0, 1, 1]);
});

test("PR-18, O1: a place that cannot be written is told of once, and stops nobody", async () => {
  const place = join(home, "file");
  writeFileSync(place, "");
  const files = filesAt(place);
  for (const what of ["agent-1", "validation"]) {
    const { record, close } = files.open(effect("task-001"), what);
    await record("one\n", "stdout");
    await record("two\n", "stdout");
    await close();
  }
  expect(troubles).toEqual([
    {
      kind: "env_setup",
      message: expect.stringMatching(/^what programs print cannot be kept: E/),
      remedy: "the run goes on; see that the state home can be written",
    },
  ]);
});

test("PR-18: a place that goes bad while a program prints is told of once", async () => {
  const { record, close } = filesAt(home).open(effect("task-001"), "agent-1");
  await record("before\n", "stdout");
  rmSync(join(home, "output/task-001"), { recursive: true });
  writeFileSync(join(home, "output/task-001"), "");
  // Turned over, it must be opened anew, where there is a file now instead of a folder.
  for (let n = 0; n < 300; n += 1) await record(`${"x".repeat(65_535)}\n`, "stdout");
  await close();
  expect(troubles.map(({ kind }) => kind)).toEqual(["env_setup"]);
});
