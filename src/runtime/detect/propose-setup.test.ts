import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { detectProject } from "./detect-project.ts";
import { lackOfSetup, proposeSetup } from "./propose-setup.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "propose-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;
const ignoring = (ignored: readonly string[]) => async (paths: readonly string[]) =>
  paths.filter((path) => ignored.includes(path));
async function write(files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}
async function proposed(files: Files, ignored: readonly string[] = []) {
  await write(files);
  return proposeSetup(root, await detectProject(root), ignoring(ignored));
}
const manifest = JSON.stringify({ scripts: { test: "node --test" }, dependencies: { a: "file:a" } });
const step = (command: string, ...inputs: readonly string[]) => ({ command, inputs, share: [], env: {} });

test.each([
  ["npm", { "package.json": manifest, "package-lock.json": "{}" }, [], step("npm ci", "package-lock.json")],
  [
    "npm workspaces without a lock",
    { "package.json": JSON.stringify({ workspaces: ["packages/*"] }) },
    [],
    step("npm install", "**/package.json"),
  ],
  [
    "pnpm",
    { "package.json": manifest, "pnpm-lock.yaml": "" },
    [],
    step("pnpm install --frozen-lockfile", "pnpm-lock.yaml"),
  ],
  ["yarn", { "package.json": manifest, "yarn.lock": "" }, [], step("yarn install --frozen-lockfile", "yarn.lock")],
  ["bun", { "package.json": manifest, "bun.lock": "" }, [], step("bun install --frozen-lockfile", "bun.lock")],
  ["Cargo", { "Cargo.toml": "[package]\n", "Cargo.lock": "" }, [], step("cargo fetch --locked", "Cargo.lock")],
  ["Cargo without a lock", { "Cargo.toml": "[package]\n" }, [], step("cargo fetch", "**/Cargo.toml")],
  ["Go", { "go.mod": "module x\n" }, [], step("go mod download", "**/go.mod")],
  ["Go with sums", { "go.mod": "module x\n", "go.sum": "" }, [], step("go mod download", "go.sum")],
  [
    "a virtual environment of the project's",
    { "requirements.txt": "x\n" },
    [".venv/"],
    step("python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt", "requirements*.txt"),
  ],
  [
    "one without dependencies",
    { "pyproject.toml": "[project]\n" },
    ["venv/"],
    step("python3 -m venv --without-pip venv", "pyproject.toml"),
  ],
  ["uv", { "pyproject.toml": "", "uv.lock": "" }, [], step("uv sync --locked", "uv.lock")],
  [
    "Poetry",
    { "pyproject.toml": "", "poetry.lock": "" },
    [],
    { ...step("poetry install", "poetry.lock"), env: { POETRY_VIRTUALENVS_IN_PROJECT: "true" } },
  ],
  ["a target of make", { Makefile: "test:\n\ttrue\ndeps:\n\ttrue\n" }, [], step("make deps", "Makefile")],
  [
    "two kinds at once",
    { "package.json": manifest, "package-lock.json": "{}", "go.mod": "module x\n" },
    [],
    step("npm ci && go mod download", "package-lock.json", "**/go.mod"),
  ],
])("A4: a set-up is proposed for %s", async (_name, files, ignored, setup) => {
  expect((await proposed(files, ignored)).setup).toEqual(setup);
});

test("A4: .env is proposed to be shared if it is there and ignored, and only then", async () => {
  expect((await proposed({ ".env": "A=1\n" })).setup).toBe(null);
  expect((await proposed({}, [".env", ".env.local"])).setup).toEqual({
    command: null,
    inputs: [],
    share: [".env"],
    env: {},
  });
});

test("A4: nothing is proposed where nothing is known; compose files are only mentioned", async () => {
  expect(await proposed({ "README.md": "" })).toEqual({ setup: null, why: "", notices: [] });
  const { setup, notices } = await proposed({ "compose.yaml": "" });
  expect([setup, notices]).toEqual([
    null,
    ["compose.yaml: services are not started by a set-up; start them, or do it in setup.command"],
  ]);
});

test("A4: a lock file whose dependencies are ignored and not set up is told in one line", async () => {
  const told = async (ignored: readonly string[]) => lackOfSetup(root, await detectProject(root), ignoring(ignored));
  await write({ "package.json": manifest });
  expect(await told(["node_modules/"])).toBe(null);
  await write({ "package-lock.json": "{}" });
  expect([await told([]), await told(["node_modules/"])]).toEqual([
    null,
    "package-lock.json, but no set-up: a fresh checkout has no node_modules; to have one proposed: harness init",
  ]);
});
