// Real kinds of projects: a set-up is proposed and taken, and a validation is green in a fresh slot.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

const shapes = join(import.meta.dirname, "../../examples/projects");
/** The programs are the user's own; only what they keep is the test's: its home holds their caches. */
const rustup = process.env.RUSTUP_HOME ?? join(homedir(), ".rustup");
/** No shape may need a network; everything else is as the programs have it without a word from the user. */
const tools = {
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
  npm_config_offline: "true",
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
  ...(existsSync(rustup) && { RUSTUP_HOME: rustup }),
};
/** A compiler's first words in an empty cache may take long on a machine with other work. */
const compiles = { timeout: 240_000 };

/** `npm test` installs them where it may: root never goes without, anybody else is told what was not tried. */
function needs({ skip }: TestContext, program: string, ...args: readonly string[]): void {
  const { status } = spawnSync(program, args, { env: { ...process.env, ...tools }, stdio: "ignore" });
  if (status === 0) return;
  const why = `${program} does not work here, so its shape of project is not tried; node scripts/need.mjs ${program}`;
  if (process.getuid?.() === 0) throw new Error(why);
  skip(why);
}

function createShape(name: string): TestProject {
  const project = createTestProject({});
  project.pass(tools);
  cpSync(join(shapes, name), project.root, { recursive: true });
  project.commit({});
  return project;
}

interface Shape {
  readonly name: string;
  readonly setup: Readonly<Record<string, unknown>>;
  readonly validation: string;
  /** Changes what the tests check, in the code and in the tests. */
  readonly files: string;
}

const words = ["hello", "welcome"] as const;
const agent = (files: string) => `sed -i.old 's/${words[0]}/${words[1]}/g' ${files} && find . -name '*.old' -delete`;

async function goesThrough({ name, setup, validation, files }: Shape): Promise<TestProject> {
  const project = createShape(name);
  const init = await project.must("init", "--yes");
  expect(init.stdout).toContain(`  set-up      ${setup.command}`);
  const config = JSON.parse(readFileSync(join(project.root, ".harness/config.json"), "utf8"));
  expect(config).toEqual({ setup: { share: [], env: {}, ...setup } });
  const before = project.checkout();
  await project.must("add", "Say it otherwise", "--validate", validation, "--max-attempts", "1");
  await project.must("add", "Nothing more", "--validate", validation, "--max-attempts", "1");
  const end = await project.must("run", "--agent-command", agent(files));
  expect(end.stderr).toContain("ended: everything is done");
  expect(project.missionCommits(await project.branch())).toHaveLength(2);
  expect(project.checkout()).toBe(before);
  const [first = ""] = files.split(" ");
  expect(project.git("show", `${await project.branch()}:${first}`)).toContain(words[1]);
  expect(
    project
      .git("diff", "--name-only", "HEAD", await project.branch())
      .split("\n")
      .sort(),
  ).toEqual(files.split(" ").sort());
  return project;
}

/** Whatever a tool keeps between runs is the user's: one for all slots, and in none of them. */
function inHome(project: TestProject, pattern: RegExp): readonly string[] {
  const found = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" });
  expect(found(join(project.place, "state")).filter((path) => pattern.test(path))).toEqual([]);
  return found(project.env.HOME ?? "").filter((path) => pattern.test(path));
}

test("A4: an npm workspace with a dependency of its own is set up by npm ci", () =>
  goesThrough({
    name: "npm-workspace",
    setup: { command: "npm ci", inputs: ["package-lock.json"] },
    validation: "npm test",
    files: "packages/app/app.test.js vendor/words/words.js",
  }));

test("A4: a Python project gets a virtual environment in each slot", () =>
  goesThrough({
    name: "python-venv",
    setup: { command: "python3 -m venv --without-pip .venv", inputs: ["pyproject.toml"] },
    validation: ".venv/bin/python -m unittest discover -t . -s tests",
    files: "greeting/__init__.py tests/test_greeting.py",
  }));

test("A4: a Cargo project is set up by cargo fetch, its registry is the user's", compiles, async (context) => {
  needs(context, "cargo", "--version");
  const project = await goesThrough({
    name: "cargo",
    setup: { command: "cargo fetch --locked", inputs: ["Cargo.lock"] },
    validation: "cargo test --quiet",
    files: "src/lib.rs",
  });
  expect(inHome(project, /(^|\/)\.cargo$/)).toEqual([".cargo"]);
});

test("A4: a Go module is set up by go mod download, its caches are the user's", compiles, async (context) => {
  needs(context, "go", "version");
  const project = await goesThrough({
    name: "go",
    setup: { command: "go mod download", inputs: ["**/go.mod"] },
    validation: "go test ./...",
    files: "greeting.go greeting_test.go",
  });
  expect(inHome(project, /(^|\/)go-build$/)).toEqual([join(".cache", "go-build")]);
});

test.each(["npm-workspace", "python-venv", "cargo", "go"])(
  "A4: the set-up of %s is proposed without being taken; taken later, an init writes it and never over a configuration",
  async (name) => {
    const project = createShape(name);
    const shown = await project.must("init");
    expect(shown.stdout).toContain("(proposed: ");
    expect(existsSync(join(project.root, ".harness/config.json"))).toBe(false);
    expect((await project.must("init")).stdout).toContain("nothing was changed");
    expect((await project.must("init", "--yes")).stdout).toContain("Wrote .harness/config.json");
    project.write({ ".harness/config.json": '{ "lanes": 2 }' });
    const kept = await project.must("init", "--yes");
    expect(kept.stdout).toContain('.harness/config.json is there and stays as it is; to add: "setup": {"command":');
    expect(readFileSync(join(project.root, ".harness/config.json"), "utf8")).toBe('{ "lanes": 2 }');
  },
);

test("A4: a run of a project that obviously needs a set-up and has none says so in one line", async () => {
  const project = createShape("npm-workspace");
  await project.must("init");
  await project.must("add", "A", "--validate", "true");
  const note = "note     package-lock.json, but no set-up: a fresh checkout has no node_modules";
  expect((await project.must("run", "--agent-command", "touch a.txt")).stderr).toContain(note);
});
