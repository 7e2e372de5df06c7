import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { disarming, mayNamePrograms } from "./disarm.ts";

const listed = (...keys: readonly string[]): Buffer => Buffer.from(keys.map((key) => `${key}\0`).join(""));
const settings = (env: NodeJS.ProcessEnv): Record<string, string | undefined> =>
  Object.fromEntries(
    Array.from({ length: Number(env.GIT_CONFIG_COUNT) }, (_, i) => [
      env[`GIT_CONFIG_KEY_${i}`] ?? "",
      env[`GIT_CONFIG_VALUE_${i}`],
    ]),
  );

test("PR-12: hooks that a configuration defines, which no hooks path covers, are disabled by name", () => {
  const env = disarming(listed("hook.a.b.command", "hook.a.b.event", "hook.mine.command", "hook.mine.enabled"));
  expect(settings(env)).toEqual({ "hook.a.b.enabled": "false", "hook.mine.enabled": "false" });
});

test("PR-12: a filter is emptied and no longer required; a merge driver gives up instead of taking one side", () => {
  const env = disarming(listed("filter.x.clean", "filter.x.required", "merge.x.driver", "merge.x.name", "merge.tool"));
  expect(settings(env)).toEqual({ "filter.x.clean": "", "filter.x.required": "false", "merge.x.driver": "false" });
});

test("PR-12: a name that is no text is refused with the way to find it", () => {
  const name = Buffer.concat([Buffer.from("filter."), Buffer.from([0xff]), Buffer.from(".clean\0")]);
  expect(() => disarming(name)).toThrow("not UTF-8");
});

test.each([
  ['[core]\n\tbare = false\n[branch "merge"]\n\tmerge = refs/heads/filter\n', false],
  ['[filter "lfs"]\n', true],
  ["[FILTER.lfs]\n", true],
  ['[core] a = b [hook "x"] command = y\n', true],
  ["[include]\n\tpath = x\n", true],
  ['[includeIf "gitdir:/"]\n\tpath = x\n', true],
  ['[merge "x"]\n\tdriver = y\n', true],
])("PR-12: git is asked for names whenever a section could hold one: %j", async (text, asked) => {
  const directory = await mkdtemp(join(tmpdir(), "disarm-"));
  expect(await mayNamePrograms(directory)).toBe(false);
  for (const file of ["config", "config.worktree"]) {
    await writeFile(join(directory, file), text);
    expect(await mayNamePrograms(directory)).toBe(asked);
    await rm(join(directory, file));
  }
  await writeFile(join(directory, "commondir"), "elsewhere\n");
  expect(await mayNamePrograms(directory)).toBe(true);
  await rm(directory, { recursive: true });
});
