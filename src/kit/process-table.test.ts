import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { listProcesses, parsePsLine, parseStat, readProcess, readVariable } from "./process-table.ts";

test("a program's name cannot confuse the reading of its row", () => {
  const fields = ["S", "1", "77", ...Array.from({ length: 16 }, (_, index) => String(index)), "424242", "0"];
  const row = { pid: 5, parent: 1, group: 77, startTime: "424242", zombie: false };
  expect(parseStat(`5 (a) Z 1 2 (b c) ${fields.join(" ")}`)).toEqual(row);
  expect(parseStat(`5 (x) ${["Z", ...fields.slice(1)].join(" ")}`)).toEqual({ ...row, zombie: true });
  expect(parseStat("not a row")).toBeNull();
});

test("rows of ps are read with their start as text", () => {
  expect(
    ["  12    1    7 Ss   Mon Nov  3 10:00:01 2025 ", " 13 12 7 Z+ Mon Nov  3 10:00:01 2025", ""].map(parsePsLine),
  ).toEqual([
    { pid: 12, parent: 1, group: 7, startTime: "Mon Nov  3 10:00:01 2025", zombie: false },
    { pid: 13, parent: 12, group: 7, startTime: "Mon Nov  3 10:00:01 2025", zombie: true },
    null,
  ]);
});

test("a running program has a row, and shows the environment it was started with", async () => {
  const child = spawn("sleep", ["1000"], { env: { ...process.env, SOME_VARIABLE: "a=b" }, stdio: "ignore" });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  expect((await listProcesses()).find((row) => row.pid === pid)).toEqual(await readProcess(pid));
  if (process.platform === "linux") {
    expect([await readVariable(pid, "SOME_VARIABLE"), await readVariable(pid, "SOME")]).toEqual(["a=b", null]);
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  expect([await readProcess(pid), await readVariable(pid, "SOME_VARIABLE")]).toEqual([null, null]);
});
