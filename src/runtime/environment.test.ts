import { expect, test } from "vitest";
import type { Effect } from "../protocol/effect.ts";
import { PassedEnv } from "../protocol/env.ts";
import { environmentFor, withheldNames } from "./environment.ts";

const effect = (kind: Effect["kind"]): Effect =>
  ({ kind, id: "task-001/1/1/x", task: "task-001", lane: 2, fence: 7 }) as unknown as Effect;
/** Of a harness that was itself started by an agent of another mission, from a git hook. */
const outer = {
  PATH: "/bin",
  GIT_DIR: "/user/.git",
  PWD: "/user",
  HARNESS_STATE_ROOT: "/outer",
  HARNESS_LANE: "0",
  HARNESS_TASK_ID: "outer-1",
  HARNESS_FENCE: "1",
  HARNESS_PROCESS: "outer",
};
const passing = (env: Record<string, string>, passed: Partial<PassedEnv> = {}) => ({
  env,
  passed: PassedEnv.parse(passed),
});
/** Of all programs but agents. */
const noNews = { NO_UPDATE_NOTIFIER: "1", npm_config_update_notifier: "false" };
const others = ["gate.check", "session.prepare", "cleanup.run", "workspace.open"] as const;

test("F1: an agent is told its root, lane, task and fence, and nothing of an outer mission", () => {
  expect(environmentFor(effect("agent.run"), passing(outer, { pass: ["*"] }), "/root")).toEqual({
    PATH: "/bin",
    HARNESS_PROCESS: "task-001/1/1/x",
    HARNESS_STATE_ROOT: "/root",
    HARNESS_LANE: "2",
    HARNESS_TASK_ID: "task-001",
    HARNESS_FENCE: "7",
  });
});

test.each(others)("F1: %s is told none of it, so that a project that uses Harness itself is safe", (kind) => {
  expect(environmentFor(effect(kind), passing(outer), "/root")).toEqual({
    PATH: "/bin",
    HARNESS_PROCESS: "task-001/1/1/x",
    ...noNews,
  });
});

test("ENV: who passes a variable of ours for programs of the project has the last word", () => {
  const passed = passing({ NO_UPDATE_NOTIFIER: "" }, { pass: ["NO_UPDATE_NOTIFIER"] });
  expect(environmentFor(effect("gate.check"), passed, "/root")).toEqual({
    HARNESS_PROCESS: "task-001/1/1/x",
    ...noNews,
    NO_UPDATE_NOTIFIER: "",
  });
});

/** Of a user who works with models, clouds, packages and a proxy. */
const users = {
  PATH: "/bin",
  HOME: "/home/me",
  LC_ALL: "C.UTF-8",
  XDG_CACHE_HOME: "/cache",
  https_proxy: "http://proxy:3128",
  JAVA_HOME: "/java",
  GIT_AUTHOR_NAME: "Me",
  GIT_CONFIG_VALUE_0: "Authorization: basic abc",
  ANTHROPIC_API_KEY: "k",
  AWS_PROFILE: "p",
  AWS_SECRET_ACCESS_KEY: "s",
  DATABASE_URL: "postgres://",
  NODE_OPTIONS: "--inspect",
  SSH_AUTH_SOCK: "/tmp/ssh",
  SHLVL: "2",
  _: "/usr/bin/harness",
};
const usual = ["GIT_AUTHOR_NAME", "HOME", "JAVA_HOME", "LC_ALL", "PATH", "XDG_CACHE_HOME", "https_proxy"];
const givenTo = (kind: Effect["kind"], passed: Partial<PassedEnv> = {}) =>
  Object.keys(environmentFor(effect(kind), passing(users, passed), "/root"))
    .filter((name) => !name.startsWith("HARNESS_") && !(name in noNews))
    .sort();

test.each(["agent.run", ...others] as const)("ENV: %s is given the usual variables, and no key", (kind) => {
  expect(givenTo(kind)).toEqual(usual);
});

test("ENV: what is named for agents reaches agents alone; what is passed reaches every program", () => {
  const passed = { pass: ["DATABASE_URL"], agent: ["ANTHROPIC_*"] };
  expect(givenTo("agent.run", passed)).toEqual([...usual, "ANTHROPIC_API_KEY", "DATABASE_URL"].sort());
  for (const kind of others) expect(givenTo(kind, passed)).toEqual([...usual, "DATABASE_URL"].sort());
});

test("ENV: what is left out is told by name", () => {
  expect(withheldNames("gate.check", passing(users, { pass: ["AWS_*"], agent: ["ANTHROPIC_*"] }))).toEqual([
    "ANTHROPIC_API_KEY",
    "DATABASE_URL",
    "GIT_CONFIG_VALUE_0",
    "NODE_OPTIONS",
    "SSH_AUTH_SOCK",
  ]);
});

test.each(["", "A B", "1A", "A=*", "*A", "A**"])("ENV: %j names no variable", (name) => {
  expect(PassedEnv.safeParse({ pass: [name] }).success).toBe(false);
});
