import { afterAll, expect, test } from "vitest";
import { claudeCode } from "./index.ts";
import { removeStandIns, standInFile } from "./stand-in.fixture.ts";

afterAll(removeStandIns);

const env = { PATH: process.env.PATH ?? "" };
const isRoot = process.getuid?.() === 0;

/** What `claude --version` and `claude auth status` do. */
const checkOf = (version: string, status: string, options: Readonly<Record<string, unknown>> = {}) => {
  const binary = standInFile(`case "$*" in --version) ${version};; "auth status") ${status};; *) exit 9;; esac`);
  return { binary, found: check({ binary, ...options }) };
};
const check = (options: Readonly<Record<string, unknown>>, sandboxed = true) =>
  claudeCode.check?.(claudeCode.options.parse(options), { cwd: "/", env, sandboxed });
const isNew = "echo '2.1.325 (Claude Code)'";
const told = (status: object, exit = 0) => `echo '${JSON.stringify(status)}'; exit ${exit}`;

test("E: a program that is there, new enough and logged in is told with its version and login", async () => {
  const { found } = checkOf(isNew, told({ loggedIn: true, authMethod: "claude.ai", email: "a@b.example" }));
  expect(await found).toEqual({ ok: true, value: { version: "2.1.325", login: "claude.ai" } });
});

test("B2: a subscription that pays for it is named", async () => {
  const { found } = checkOf(isNew, told({ loggedIn: true, authMethod: "claude.ai", subscriptionType: "max" }));
  expect(await found).toEqual({ ok: true, value: { version: "2.1.325", login: "claude.ai", subscription: "max" } });
});

test("E: a program that is not there is one line with its remedy", async () => {
  expect(await check({ binary: "no-such-claude" })).toEqual({
    ok: false,
    failure: {
      kind: "env_setup",
      message: "Claude Code is not there: no program no-such-claude",
      remedy: 'install it (npm install -g @anthropic-ai/claude-code), or name its file as the agent\'s option "binary"',
    },
  });
});

test.each([
  ["1.0.128", false],
  ["2.0.999", false],
  ["2.1.0", true],
  ["2.1.197", true],
  ["10.0.0", true],
])("E: version %s is new enough: %s", async (version, isEnough) => {
  const { binary, found } = checkOf(`echo '${version} (Claude Code)'`, told({ loggedIn: true }));
  const failure = {
    kind: "env_setup",
    message: `Claude Code ${version} is too old: 2.1.0 is the first that can be read`,
    remedy: `${binary} update`,
  };
  expect(await found).toEqual(isEnough ? { ok: true, value: { version, login: null } } : { ok: false, failure });
});

test.each(["echo nothing of use", "echo 2.1.325; exit 1", "kill -9 $$"])(
  "E: a program that answers `%s` is not taken for Claude Code",
  async (version) => {
    const { binary, found } = checkOf(version, "exit 1");
    const message = `${binary} --version names no version; it does not seem to be Claude Code`;
    expect(await found).toMatchObject({ ok: false, failure: { kind: "env_setup", message } });
  },
);

test("E: one that is not logged in is told how to", async () => {
  const { binary, found } = checkOf(isNew, told({ loggedIn: false, authMethod: "none" }, 1));
  expect(await found).toEqual({
    ok: false,
    failure: {
      kind: "auth",
      message: "Claude Code is not logged in",
      remedy: `${binary} auth login, or set ANTHROPIC_API_KEY`,
    },
  });
});

test.each(["echo 'unknown command auth'; exit 1", 'echo \'{"loggedIn": "maybe"}\'', "true"])(
  "E: one that tells of its login by `%s` is not judged by it",
  async (status) => {
    const { found } = checkOf(isNew, status);
    expect(await found).toEqual({ ok: true, value: { version: "2.1.325", login: null } });
  },
);

test.runIf(isRoot)("E, PR-10: bypassing permissions as root is refused outside of a sandbox only", async () => {
  const binary = standInFile(isNew);
  expect([
    await check({ binary }, false),
    await check({ binary, permissionMode: "acceptEdits" }, false),
    await check({ binary }, true),
  ]).toMatchObject([
    {
      ok: false,
      failure: { kind: "config", message: "Claude Code does not bypass permissions as root outside of a sandbox" },
    },
    { ok: true },
    { ok: true },
  ]);
});
