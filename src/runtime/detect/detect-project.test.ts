import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Candidate } from "./candidate.ts";
import { detectProject, validationFromScratch } from "./detect-project.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "detect-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;
async function detected(files: Files): Promise<readonly Candidate[]> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return (await detectProject(root)).candidates;
}

const manifest = (more: object) => JSON.stringify({ scripts: { test: "vitest run" }, ...more });
const withTest = manifest({ devDependencies: { vitest: "1" } });
const scripted = 'package.json has a script "test"';
const node = (manager: string, validation: string | null, setup: string | null, why: string): Candidate => ({
  kind: "node",
  validation,
  setup,
  why,
  tools: manager === "bun" ? ["bun"] : ["node", manager],
  dependencies: setup === null ? null : "node_modules",
});
const of = (
  kind: string,
  [validation, setup]: readonly [string | null, string | null],
  why: string,
  tools: readonly string[],
  dependencies: string | null = null,
): Candidate => ({ kind, validation, setup, why, tools, dependencies });

const rows: readonly (readonly [what: string, files: Files, candidate: Candidate])[] = [
  [
    "npm with a lock",
    { "package.json": withTest, "package-lock.json": "{}" },
    node("npm", "npm test", "npm ci", `${scripted}, package-lock.json`),
  ],
  ["npm without a lock", { "package.json": withTest }, node("npm", "npm test", "npm install", scripted)],
  ["npm without dependencies", { "package.json": manifest({}) }, node("npm", "npm test", null, scripted)],
  [
    "pnpm",
    { "package.json": withTest, "pnpm-lock.yaml": "" },
    node("pnpm", "pnpm test", "pnpm install --frozen-lockfile", `${scripted}, pnpm-lock.yaml`),
  ],
  [
    "pnpm by its name alone",
    { "package.json": manifest({ packageManager: "pnpm@9.1.0", dependencies: {} }) },
    node("pnpm", "pnpm test", "pnpm install", scripted),
  ],
  [
    "classic yarn",
    { "package.json": withTest, "yarn.lock": "" },
    node("yarn", "yarn test", "yarn install --frozen-lockfile", `${scripted}, yarn.lock`),
  ],
  [
    "modern yarn",
    { "package.json": withTest, "yarn.lock": "", ".yarnrc.yml": "" },
    node("yarn", "yarn test", "yarn install --immutable", `${scripted}, yarn.lock`),
  ],
  [
    "bun",
    { "package.json": withTest, "bun.lock": "" },
    node("bun", "bun run test", "bun install --frozen-lockfile", `${scripted}, bun.lock`),
  ],
  [
    "the script npm init writes",
    { "package.json": JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) },
    node("npm", null, null, 'package.json, but no script "test"'),
  ],
  [
    "a package.json that is no JSON",
    { "package.json": "{" },
    node("npm", null, null, 'package.json, but no script "test"'),
  ],
  [
    "a deno task",
    { "deno.json": '{"tasks":{"test":"x"}}' },
    of("deno", ["deno task test", null], 'deno.json has a task "test"', ["deno"]),
  ],
  ["deno", { "deno.jsonc": "{ // \n}" }, of("deno", ["deno test", null], "deno.jsonc", ["deno"])],
  [
    "a composer script",
    { "composer.json": '{"scripts":{"test":["a"]}}' },
    of(
      "php",
      ["composer test", "composer install --no-interaction"],
      'composer.json has a script "test"',
      ["php", "composer"],
      "vendor",
    ),
  ],
  [
    "PHPUnit",
    { "composer.json": '{"require-dev":{"phpunit/phpunit":"^10"}}' },
    of(
      "php",
      ["vendor/bin/phpunit", "composer install --no-interaction"],
      "composer.json with PHPUnit",
      ["php", "composer"],
      "vendor",
    ),
  ],
  [
    "a just recipe",
    { justfile: "build:\n  x\ntest *args: build\n  y\n" },
    of("just", ["just test", null], 'justfile has a recipe "test"', ["just"]),
  ],
  [
    "a make target among others",
    { Makefile: "X := 1\n.PHONY: test\nlint test: deps\n\tx\n" },
    of("make", ["make test", null], 'Makefile has a target "test"', ["make"]),
  ],
  [
    "make check",
    { Makefile: "check::\n\tx\n" },
    of("make", ["make check", null], 'Makefile has a target "check"', ["make"]),
  ],
  ["cargo", { "Cargo.toml": "[package]" }, of("rust", ["cargo test", "cargo fetch"], "Cargo.toml", ["cargo"])],
  [
    "a cargo workspace",
    { "Cargo.toml": "[workspace]", "Cargo.lock": "" },
    of("rust", ["cargo test --workspace", "cargo fetch --locked"], "Cargo.toml", ["cargo"]),
  ],
  ["go", { "go.mod": "module x" }, of("go", ["go test ./...", "go mod download"], "go.mod", ["go"])],
  [
    "pytest in pyproject.toml",
    { "pyproject.toml": "[tool.pytest.ini_options]" },
    of("python", ["python3 -m pytest", null], "pyproject.toml speaks of pytest", ["python3"]),
  ],
  [
    "pytest in setup.cfg",
    { "setup.cfg": "[tool:pytest]" },
    of("python", ["python3 -m pytest", null], "setup.cfg speaks of pytest", ["python3"]),
  ],
  [
    "pytest by its conftest",
    { "setup.py": "", "tests/conftest.py": "" },
    of("python", ["python3 -m pytest", null], "tests/conftest.py speaks of pytest", ["python3"]),
  ],
  ["tox", { "tox.ini": "[testenv]\ncommands = nose2" }, of("python", ["tox", null], "tox.ini", ["tox"])],
  [
    "uv",
    { "pyproject.toml": 'dev = ["pytest>=8"]', "uv.lock": "" },
    of("python", ["uv run pytest", "uv sync --locked"], "pyproject.toml speaks of pytest, uv.lock", ["uv"]),
  ],
  [
    "poetry without tests",
    { "pyproject.toml": "[tool.poetry]", "poetry.lock": "" },
    of("python", [null, "poetry install"], "pyproject.toml, but no tests that we know of, poetry.lock", ["poetry"]),
  ],
  [
    "rspec",
    { Gemfile: 'gem "rspec"' },
    of("ruby", ["bundle exec rspec", "bundle install"], "Gemfile with RSpec", ["ruby", "bundle"]),
  ],
  [
    "rails",
    { Gemfile: "", "bin/rails": "" },
    of("ruby", ["bin/rails test", "bundle install"], "Gemfile and bin/rails", ["ruby", "bundle"]),
  ],
  [
    "rake",
    { Gemfile: "", Rakefile: "" },
    of("ruby", ["bundle exec rake test", "bundle install"], "Gemfile and Rakefile", ["ruby", "bundle"]),
  ],
  ["maven", { "pom.xml": "" }, of("maven", ["mvn -B test", null], "pom.xml", ["mvn"])],
  ["maven's wrapper", { "pom.xml": "", mvnw: "" }, of("maven", ["./mvnw -B test", null], "pom.xml", ["java"])],
  ["gradle", { "build.gradle.kts": "" }, of("gradle", ["gradle test", null], "build.gradle.kts", ["gradle"])],
  [
    "gradle's wrapper",
    { "build.gradle": "", gradlew: "" },
    of("gradle", ["./gradlew test", null], "build.gradle", ["java"]),
  ],
  ["mix", { "mix.exs": "" }, of("elixir", ["mix test", "mix deps.get"], "mix.exs", ["mix"], "deps")],
];

test.each(rows)("CFG: a project is recognised by its files: %s", async (_, files, candidate) => {
  expect(await detected(files)).toEqual([candidate]);
});

test("CFG: nothing is proposed where nothing is recognised", async () => {
  const makefile = "all:\n\ttest: x\nTEST = a:b\ntest := 1\ntest ::= 2\n# test: no\n";
  expect(await detected({ Makefile: makefile, Justfile: 'test := "x"\ntesting:\n  y\n' })).toEqual([]);
  expect(await detectProject(join(root, "no such directory"))).toEqual({ candidates: [] });
});

test("CFG: a command the project names goes before a usual one, and both before none", async () => {
  const files = { "package.json": "{}", "go.mod": "", Makefile: "test:\n", "Cargo.toml": "" };
  expect((await detected(files)).map(({ kind, validation }) => [kind, validation])).toEqual([
    ["make", "make test"],
    ["rust", "cargo test"],
    ["go", "go test ./..."],
    ["node", null],
  ]);
});

test("CFG: what stands in a manifest's place is neither waited for nor taken in whole", async () => {
  execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "package.json")]);
  await mkdir(join(root, "composer.json"));
  expect(await detected({ Gemfile: "rspec".repeat(300_000) })).toEqual([]);
});

test("CFG: nothing written in a project becomes part of a command", async () => {
  const evil = '"; touch evil; #';
  const found = await detected({
    "package.json": JSON.stringify({ scripts: { test: evil }, packageManager: `pnpm@${evil}`, dependencies: {} }),
    Makefile: `test ${evil}:\n`,
    "deno.json": JSON.stringify({ tasks: { test: evil } }),
  });
  expect(JSON.stringify(found)).not.toContain("evil");
});

test("CFG: in an untouched checkout the set-up goes before the validation", () => {
  const base = of("go", ["go test ./...", "go mod download"], "", []);
  expect([base, { ...base, setup: null }, { ...base, validation: null }].map(validationFromScratch)).toEqual([
    "go mod download && go test ./...",
    "go test ./...",
    null,
  ]);
});
