import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ConfigInput, keysWithoutEffect } from "../protocol/config.ts";
import { unheeded } from "./config/for-run.ts";
import { configOf, isFromProject, loadConfig, loadConfigLayers } from "./config.ts";
import { usualMemoryMb } from "./machine.ts";
import { projectConfigFile, userConfigFile } from "./place.ts";

let folder = "";
let root = "";
let env: Record<string, string> = {};
let userFile = "";
let projectFile = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "config-"));
  root = join(folder, "project");
  env = { HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "xdg") };
  userFile = join(folder, "xdg/harness/config.json");
  projectFile = join(root, ".harness/config.json");
  for (const file of [userFile, projectFile]) await mkdir(dirname(file), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (file: string, value: unknown) => writeFile(file, JSON.stringify(value));
const load = (flags?: ConfigInput) => loadConfig({ root, env, ...(flags && { flags }) });

const defaults = {
  limits: {
    maxSessions: 50,
    maxTasksPerSession: 20,
    maxIterations: 10,
    maxFreeInterruptions: 5,
    iterationTimeoutMs: 3_600_000,
  },
  lanes: 1,
  validation: { default: null, timeoutSeconds: 300 },
  rescue: { keepDays: 30 },
  resources: { processes: 2_000, openFiles: 65_536, diskFloorMb: 256 },
  output: { maxFileMb: 16, maxTotalMb: 1_024, maxFiles: 2_000 },
  env: { pass: [], agent: [] },
  setup: { command: null, inputs: [], share: [], env: {}, ports: [], timeoutSeconds: 600 },
  views: { harnessLoop: false },
  barrier: false,
  integration: "branch",
};
const refusal = (message: string, remedy: string) => ({
  ok: false,
  failure: { kind: "config", message: `${projectFile}${message}`, remedy },
});

test("CFG: without any file everything has its default", async () => {
  expect(await load()).toEqual({ ok: true, value: defaults });
  expect(await loadConfig({ root: null, env })).toEqual({ ok: true, value: defaults });
});

test("CFG: flags go over the project, the project over the user, the user over the defaults", async () => {
  await write(userFile, { $schema: "x", lanes: 2, limits: { maxSessions: 7, maxIterations: 7 }, maxCostUsd: 1 });
  await write(projectFile, { lanes: 3, limits: { maxIterations: 8, maxTasksPerSession: 8 } });
  expect(await load({ lanes: 4, limits: { maxTasksPerSession: 9 } })).toEqual({
    ok: true,
    value: {
      ...defaults,
      lanes: 4,
      limits: { ...defaults.limits, maxSessions: 7, maxIterations: 8, maxTasksPerSession: 9 },
      maxCostUsd: 1,
    },
  });
});

test("CFG: what guards the machine a project can make stricter, never looser, and a run says what it did not get", async () => {
  await write(userFile, { resources: { processes: 100, diskFloorMb: 1_000 } });
  await write(projectFile, {
    resources: { processes: 200, diskFloorMb: 10, openFiles: 100, memoryMb: 900_000_000 },
    output: { maxFileMb: 1, maxFiles: 3_000 },
  });
  const layers = await loadConfigLayers({ root, env });
  if (!layers.ok) throw new Error(layers.failure.message);
  const memoryMb = usualMemoryMb();
  expect(configOf(layers.value)).toEqual({
    ...defaults,
    resources: { processes: 100, openFiles: 100, diskFloorMb: 1_000, memoryMb },
    output: { ...defaults.output, maxFileMb: 1 },
  });
  expect(unheeded(layers.value, null)).toEqual([
    `a project may not loosen resources.memoryMb: it asks for 900000000, ${memoryMb} holds`,
    "a project may not loosen resources.processes: it asks for 200, 100 holds",
    "a project may not loosen resources.diskFloorMb: it asks for 10, 1000 holds",
    "a project may not loosen output.maxFiles: it asks for 3000, 2000 holds",
  ]);
});

test("CFG: a list replaces a list, and options do not outlive the agent they were written for", async () => {
  const types = (name: string) => ({ checkpoints: { enabled: true, types: [{ name }] } });
  const agent = (use: string, options: Record<string, unknown>) => ({ agent: { use, options } });
  await write(userFile, { ...types("one"), ...agent("command", { command: "a", shell: "sh" }) });
  await write(projectFile, { ...types("two"), ...agent("command", { command: "b" }) });
  const merged = { ...defaults, ...types("two"), ...agent("command", { command: "b", shell: "sh" }) };
  expect(await load()).toEqual({ ok: true, value: merged });
  const flags = agent("scripted", { script: "s.json" });
  expect(await load(flags)).toEqual({ ok: true, value: { ...merged, ...flags } });
});

test("CFG: the user's file is in XDG_CONFIG_HOME if that is absolute, else in ~/.config", () => {
  expect(
    [env, { HOME: "/h" }, { HOME: "/h", XDG_CONFIG_HOME: "" }, { HOME: "/h", XDG_CONFIG_HOME: "rel" }].map(
      userConfigFile,
    ),
  ).toEqual([userFile, ...Array(3).fill("/h/.config/harness/config.json")]);
  expect(projectConfigFile("/p")).toBe("/p/.harness/config.json");
});

test.each([
  [{ limits: { maxSesions: 1 } }, ": limits.maxSesions is not a known key", 'did you mean "maxSessions"?'],
  [{ max_cost_usd: 1 }, ": max_cost_usd is not a known key", 'did you mean "maxCostUsd"?'],
  [{ maxIterations: 1 }, ": maxIterations is not a known key", 'did you mean "limits.maxIterations"?'],
  [
    { validation: { unheardOf: 1 } },
    ": validation.unheardOf is not a known key",
    "remove it; known here: default, timeoutSeconds",
  ],
  [
    { checkpoints: { types: [{ name: "a", triggerWhen: "x" }] } },
    ": checkpoints.types[0].triggerWhen is not a known key",
    'did you mean "triggerOn"?',
  ],
  [{ smokeTest: { urls: [{}] } }, ": smokeTest.urls[0].url is missing", "add it"],
  [{ "a\nb": 1 }, ': ["a\\nb"] is not a known key', expect.stringContaining("remove it; known here: limits, lanes,")],
])("CFG: an unknown key is refused with the nearest known name: %j", async (written, message, remedy) => {
  await write(projectFile, written);
  expect(await load()).toEqual(refusal(message, remedy));
});

const correctIt = "correct it, or remove it to have the default";
test.each([
  [{ lanes: 1.5 }, ": lanes must be a whole number, not 1.5"],
  [{ lanes: "auto" }, ': lanes must be a number, not "auto"'],
  [{ lanes: 0 }, ": lanes must be more than 0, not 0"],
  [{ lanes: 101 }, ": lanes must be at most 100, not 101"],
  [{ lanes: null }, ": lanes must be a number, not null"],
  [{ limits: [] }, ": limits must be an object, not a list"],
  [{ limits: { maxFreeInterruptions: -1 } }, ": limits.maxFreeInterruptions must be at least 0, not -1"],
  [{ validation: { default: " " } }, ": validation.default must not be empty"],
  [{ agent: { use: {} } }, ": agent.use must be text, not an object"],
  [{ branchIsolation: { enabled: "yes" } }, ': branchIsolation.enabled must be true or false, not "yes"'],
  [
    { branchIsolation: { onPass: "push" } },
    ': branchIsolation.onPass must be one of "merge", "pr", "keep", not "push"',
  ],
  [
    { checkpoints: { types: [{ name: "../up" }] } },
    ": checkpoints.types[0].name must be 1–64 letters, digits, '-' or '_', starting with a letter or digit, not \"../up\"",
  ],
  [
    { smokeTest: { urls: [{ url: "file:///etc/passwd" }] } },
    ': smokeTest.urls[0].url must be an http or https address, not "file:///etc/passwd"',
  ],
  [{ timeouts: { worker: "1 h" } }, ': timeouts.worker must be a number, not "1 h"'],
  [{ models: { worker: "" } }, ": models.worker must not be empty"],
])("CFG: a wrong value is refused by file, key and what it must be: %j", async (written, message) => {
  await write(projectFile, written);
  expect(await load()).toEqual(refusal(message, correctIt));
});

test("CFG: what is no object at all is refused", async () => {
  await write(projectFile, ["lanes"]);
  expect(await load()).toEqual(refusal(": it must be an object, not a list", "write { … }"));
});

test.each([["sandbox"], ["env"], ["trust"], ["tokens"], ["notifications"]])(
  "CFG: %s is taken from the user and refused from a project, whatever it says",
  async (key) => {
    const values: Record<string, unknown> = {
      sandbox: "required",
      tokens: { a: "secret" },
      env: { pass: ["DATABASE_URL"], agent: ["ANTHROPIC_*"] },
    };
    const value = values[key] ?? { any: "thing" };
    await write(userFile, { [key]: value });
    expect(await load()).toEqual({ ok: true, value: { ...defaults, [key]: value } });
    for (const written of [value, 5, null]) {
      await write(projectFile, { [key]: written });
      expect(await load()).toEqual(
        refusal(
          `: ${key} is for the user to set, never for a project`,
          `remove it here; if you want it, set it in ${userFile}`,
        ),
      );
    }
  },
);

test("CFG: a project cannot make files answer its own checkpoints", async () => {
  await write(projectFile, { checkpoints: { enabled: true, fileGrants: true } });
  const result = await load();
  expect(result).toEqual(
    refusal(
      ": checkpoints.fileGrants is for the user to set, never for a project",
      `remove it here; if you want it, set it in ${userFile}`,
    ),
  );
});

test("CFG: all problems of all places are told at once, a line each, and no token is shown", async () => {
  await write(userFile, { lane: 1, tokens: { telegram: ["very secret"] } });
  await write(projectFile, { lanes: 0 });
  expect(await load({ lanes: -1 })).toEqual({
    ok: false,
    failure: {
      kind: "config",
      message: "the configuration has 4 problems",
      remedy: "correct each as its line says",
      evidence: [
        `${userFile}: tokens.telegram must be text, not a list – ${correctIt}`,
        `${userFile}: lane is not a known key – did you mean "lanes"?`,
        `${projectFile}: lanes must be more than 0, not 0 – ${correctIt}`,
        `command line: lanes must be more than 0, not -1 – ${correctIt}`,
      ].join("\n"),
    },
  });
});

test("CFG: a flood of problems is cut short", async () => {
  await write(projectFile, Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`zz${index}`, 0])));
  const result = await load();
  const lines = result.ok ? [] : (result.failure.evidence ?? "").split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([21, "… and 49980 more"]);
});

test("CFG: a file that is not what it should be is refused, and a pipe without a writer is not waited for", async () => {
  const again = async (make: () => unknown) => {
    await rm(projectFile, { recursive: true, force: true });
    await make();
    const result = await load();
    return result.ok ? "fine" : `${result.failure.message.replace(projectFile, "FILE")} – ${result.failure.remedy}`;
  };
  expect([
    await again(() => mkdir(projectFile)),
    await again(() => execFileSync("sh", ["-c", 'mkfifo "$0"', projectFile])),
    await again(() => symlink("/dev/zero", projectFile)),
    await again(() => symlink(projectFile, projectFile)),
    await again(() => symlink("nowhere", projectFile)),
    await again(() => writeFile(projectFile, `{}${" ".repeat(1_000_000)}`)),
    await again(() => writeFile(projectFile, new Uint8Array([0x22, 0xff, 0x22]))),
    await again(() => writeFile(projectFile, `{}${" ".repeat(999_998)}`)),
  ]).toEqual([
    "FILE is a directory, not a file – put a regular file in its place",
    "FILE is a named pipe, not a file – put a regular file in its place",
    "FILE is a device, not a file – put a regular file in its place",
    "FILE cannot be opened (ELOOP) – see that it may be read",
    "FILE is a link that leads nowhere – mend or remove the link",
    "FILE is larger than 1000000 bytes – make it smaller",
    "FILE is not UTF-8 text – save it as UTF-8",
    "fine",
  ]);
});

test.each(["", "{", "{} // no", '{"lanes":1,"lanes":2}', '{"__proto__":{"lanes":2}}', "\ufeff{}", "{\0}"])(
  "CFG: text that is not plain JSON is refused by file and place: %j",
  async (text) => {
    await writeFile(projectFile, text);
    const result = await load();
    expect(result.ok ? null : result.failure.message).toMatch(new RegExp(`^${projectFile}:\\d+:\\d+: `));
    expect(result.ok ? null : result.failure.kind).toBe("config");
  },
);

test("CFG: a path through something that is no directory is as good as no file", async () => {
  await rm(join(root, ".harness"), { recursive: true });
  await writeFile(join(root, ".harness"), "");
  expect(await load()).toEqual({ ok: true, value: defaults });
});

test("CFG: one can tell what a project's file brings, also by options laid under a flag's", async () => {
  await write(userFile, { validation: { default: "make test" } });
  await write(projectFile, { validation: { default: "make test" }, agent: { use: "command", options: { x: "evil" } } });
  const layers = await loadConfigLayers({ root, env, flags: { agent: { use: "command", options: { command: "a" } } } });
  const found = layers.ok ? layers.value : [];
  expect([["validation", "default"], ["agent"], ["lanes"]].map((path) => isFromProject(found, path))).toEqual([
    false,
    true,
    false,
  ]);
});

test("CFG: keys of the seeds that mean the same as ours hold where ours are not written", async () => {
  const seeds = { parallelWorkers: { max: 3 }, timeouts: { worker: 0.0005, validator: 5 } };
  const limits = { ...defaults.limits, iterationTimeoutMs: 1 };
  await write(userFile, seeds);
  expect(await load()).toEqual({ ok: true, value: { ...defaults, ...seeds, lanes: 3, limits } });
  await write(projectFile, { lanes: 2, limits: { iterationTimeoutMs: 9, maxSessions: 4 } });
  const ours = { lanes: 2, limits: { ...limits, iterationTimeoutMs: 9, maxSessions: 4 } };
  expect(await load()).toEqual({ ok: true, value: { ...defaults, ...seeds, ...ours } });
});

test("CFG: what a seed says of a task that passed is our integration, unless that is written", async () => {
  const integration = async (written: ConfigInput) => {
    await write(userFile, written);
    const result = await load();
    return result.ok && result.value.integration;
  };
  const said: readonly (readonly [ConfigInput, string])[] = [
    [{ branchIsolation: { enabled: true } }, "current"],
    [{ branchIsolation: { enabled: true, onPass: "keep" } }, "branch"],
    [{ branchIsolation: { onPass: "pr" } }, "pr"],
    [{ branchIsolation: { enabled: false, onPass: "merge" } }, "branch"],
    [{ branchIsolation: { baseBranch: "trunk" } }, "branch"],
    [{ branchIsolation: { enabled: true }, integration: "pr" }, "pr"],
  ];
  for (const [written, meant] of said) expect([written, await integration(written)]).toEqual([written, meant]);
});

test("CFG: one can tell which keys were set that nothing acts on yet", async () => {
  const parts = { timeouts: { worker: 1, curator: 1 }, parallelWorkers: { max: 2, useChunkLoop: true } };
  await write(projectFile, {
    lanes: 2,
    maxCostUsd: 5,
    views: { harnessLoop: false },
    uiQa: {},
    smokeTest: {},
    ...parts,
  });
  const result = await load();
  expect(result.ok && keysWithoutEffect(result.value)).toEqual([
    "timeouts.curator",
    "smokeTest",
    "uiQa",
    "parallelWorkers.useChunkLoop",
  ]);
});

test.each([
  [{ share: ["../secrets"] }, "setup.share[0] must be a path inside the project, such as .env, and nothing of .git"],
  [{ share: ["/etc/passwd"] }, "setup.share[0] must be a path inside the project, such as .env, and nothing of .git"],
  [{ share: [{ path: "a/../../b" }] }, "setup.share[0]"],
  [{ share: [".git/config"] }, "setup.share[0]"],
  [{ inputs: ["a/../b"] }, "setup.inputs[0] must be a path inside the project"],
  [{ env: { HARNESS_FENCE: "9" } }, "setup.env"],
  [{ env: { GIT_DIR: "/x" } }, "setup.env"],
  [{ ports: ["PORT!"] }, "setup.ports[0] must be the name of a variable"],
])(
  "CFG: a set-up that reaches out of the project or into our own variables is refused: %j",
  async (setup, complaint) => {
    await write(projectFile, { setup });
    expect(await load()).toMatchObject({ ok: false, failure: { message: expect.stringContaining(complaint) } });
  },
);
