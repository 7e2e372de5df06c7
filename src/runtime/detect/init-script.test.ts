import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { detectProject } from "./detect-project.ts";
import { initScriptTemplate } from "./init-script.ts";

let folder = "";
let project = "";
let bin = "";

/** A project with an odd name, and a PATH on which only the given programs are; each notes how it was called. */
async function prepare(files: readonly string[], programs: Readonly<Record<string, string>>): Promise<string> {
  for (const file of files) await writeFile(join(project, file), "{}");
  for (const [name, body] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\necho "${name} $*" >>"$CALLS"\n${body}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const script = initScriptTemplate(await detectProject(project));
  await writeFile(join(project, "harness-init.sh"), script);
  return script;
}

async function run(): Promise<{ code: number | null; stderr: string; calls: string }> {
  const calls = join(folder, "calls");
  await writeFile(calls, "");
  const env = { PATH: bin, CALLS: calls, CDPATH: "/tmp" };
  const { status, stderr } = spawnSync("/bin/sh", [join(project, "harness-init.sh")], { env, encoding: "utf8" });
  return { code: status, stderr, calls: await readFile(calls, "utf8") };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "init-script-"));
  project = join(folder, "- my 'project");
  bin = join(folder, "bin");
  await mkdir(project);
  await mkdir(bin);
  for (const tool of ["dirname", "mkdir"]) await symlink(`/usr/bin/${tool}`, join(bin, tool));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("S1: the script fetches what is missing, in the project, and the second time leaves it alone", async () => {
  await prepare(["package.json", "package-lock.json"], { git: "", node: "", npm: "mkdir node_modules" });
  expect(await run()).toEqual({ code: 0, stderr: "", calls: "npm ci\n" });
  expect(await run()).toEqual({ code: 0, stderr: "", calls: "" });
});

test("S1: a missing tool and a failing set-up are failures, said in one line or by the tool", async () => {
  await prepare(["mix.exs"], { git: "" });
  const stderr = "harness-init.sh: mix was not found: install it, or put it on the PATH\n";
  expect(await run()).toEqual({ code: 1, stderr, calls: "" });
  await prepare([], { mix: "exit 3" });
  expect(await run()).toEqual({ code: 3, stderr: "", calls: "mix deps.get\n" });
});

test("S1: tools of what else was found are used if they are there, and not demanded", async () => {
  const files = ["package.json", "package-lock.json", "go.mod", "mix.exs"];
  await prepare(files, { git: "", node: "", npm: "mkdir node_modules", go: "" });
  expect(await run()).toEqual({ code: 0, stderr: "", calls: "go mod download\nnpm ci\n" });
});

test("S1: a project that was not recognised gets a script that asks for git alone", async () => {
  const script = await prepare([], { git: "" });
  expect(await run()).toEqual({ code: 0, stderr: "", calls: "" });
  expect(script).toContain("# What kind of project this is was not recognised.");
});
