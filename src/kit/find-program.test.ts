import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "./find-program.ts";

test("a program is found along PATH or by its path, and only if it can be executed", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "find-program-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await mkdir(join(cwd, "bin/folder"), { recursive: true });
  await writeFile(join(cwd, "bin/tool"), "");
  await writeFile(join(cwd, "bin/notes"), "");
  await chmod(join(cwd, "bin/tool"), 0o755);
  const tool = join(cwd, "bin/tool");
  const find = (name: string, env: Record<string, string>) => findProgram(name, { cwd, env });
  expect([
    await find("tool", { PATH: `/nowhere:${join(cwd, "bin")}` }),
    await find("tool", { PATH: "bin" }),
    await find("bin/tool", {}),
    await find(tool, {}),
    await find("sh", {}),
    await find("tool", { PATH: "/nowhere" }),
    await find("notes", { PATH: "bin" }),
    await find("folder", { PATH: "bin" }),
    await find("a\0b", { PATH: "bin" }),
  ]).toEqual([tool, tool, tool, tool, expect.stringMatching(/\/bin\/sh$/), null, null, null, null]);
});
