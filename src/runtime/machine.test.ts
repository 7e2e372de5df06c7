import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Failure } from "../protocol/failure.ts";
import { Resources } from "../protocol/resources.ts";
import { limitsOf, roomAt } from "./machine.ts";

const everything = 1_000_000_000;
function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "machine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("PR-18, U2: less room than must stay free is a failure that names the place and the next step", async () => {
  const folder = place();
  expect(await roomAt([folder], 1).shortage()).toBeNull();
  expect(await roomAt([folder], everything).shortage()).toEqual({
    kind: "machine_full",
    message: expect.stringMatching(
      new RegExp(`^machine full: \\d+ MB are free at ${folder}, less than the ${everything} MB that must stay free$`),
    ),
    remedy: "free some space (harness rescue list shows what was put away), then: harness run",
  });
});

test("PR-18, U2: a place that is not there is not full, and a shortage is told once", async () => {
  const folder = place();
  expect(await roomAt([join(folder, "missing")], everything).shortage()).toBeNull();
  const told: Failure[] = [];
  const watch = roomAt([folder], everything).watch((failure) => told.push(failure));
  onTestFinished(() => watch.close());
  await expect.poll(() => told.length).toBe(1);
  expect(told[0]?.kind).toBe("machine_full");
});

test("memory that is not said is most of the machine's, never all of it", () => {
  const { memoryBytes, ...others } = limitsOf(Resources.parse({}));
  expect(others).toEqual({ processes: 2_000, openFiles: 65_536 });
  expect(memoryBytes).toBeGreaterThan(0);
  expect(memoryBytes).toBeLessThan(totalmem());
});
