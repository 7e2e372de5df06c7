// A glance is used for exactly the journal and the files it was written for. The program around it: test/e2e/glance.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { statusView } from "../../src/core/views/status.ts";
import { glanceAt } from "../../src/glance.ts";
import type { Command } from "../../src/protocol/input.ts";
import { Limits } from "../../src/protocol/task.ts";
import { Journal } from "../../src/runtime/journal.ts";
import { openViews } from "../../src/runtime/views/open-views.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { identity } from "./stage.ts";

const id = "0123456789abcdef".repeat(2);
let folder: string;
let root: string;
let home: string;
let env: { HARNESS_STATE_HOME: string; HOME: string };
let commands = 0;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "harness-glance-")));
  root = join(folder, "project");
  home = join(folder, "state", id);
  env = { HARNESS_STATE_HOME: join(folder, "state"), HOME: folder };
  mkdirSync(join(root, ".harness"), { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(root, ".harness/id"), `${id}\n`);
  writeFileSync(join(home, "root"), root);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** One process: records, shows if asked to, ends. The answer is the status it saw last. */
async function record(asked: readonly Command[], { publish }: { publish: boolean }) {
  const store = await openSqliteStore({ path: join(home, "journal.db") });
  const journal = new Journal(store, { now: () => 1_000 });
  await journal.catchUp();
  for (const command of asked) {
    commands += 1;
    await journal.transact(command, `c-${commands}`);
  }
  const source = {
    look: <T>(use: Parameters<typeof journal.look<T>>[0]) => journal.look(use),
    read: (after: number, limit: number) => store.read(after, limit),
    submit: async () => undefined,
  };
  const processes = { self: async () => identity, isAlive: async () => true };
  const troubles: unknown[] = [];
  const views = openViews({ root, id, home }, source, {
    shown: (text) => text,
    env,
    processes,
    onTrouble: (trouble) => troubles.push(trouble),
  });
  if (publish) await views.close();
  await store.close();
  expect(troubles).toEqual([]);
  return statusView(journal.state());
}

const create: Command = { type: "mission.create", mission: "m", branch: "b", root: "/p", limits: Limits.parse({}) };
const add = (title: string): Command => ({
  type: "task.add",
  task: { title, validation: { command: "true", timeoutMs: 1_000, quick: null } },
});

test("PR-22: a glance is the status of the journal's head, and none once the journal went on without it", async () => {
  expect(glanceAt(() => root, env)).toBe(null);
  const first = await record([create, add("A")], { publish: true });
  expect(glanceAt(() => root, env)?.view).toEqual(first);
  await record([add("B")], { publish: false });
  expect(glanceAt(() => root, env)).toBe(null);
  const third = await record([], { publish: true });
  const glanced = glanceAt(() => join(root, ".harness"), env);
  expect([glanced?.view, JSON.parse(glanced?.tasks()?.toString() ?? "")]).toEqual([third, third?.tasks]);
});

test("PR-22: a glance of a root that was moved, or of tasks that were replaced, is none", async () => {
  await record([create, add("A")], { publish: true });
  const glanced = glanceAt(() => root, env);
  writeFileSync(join(home, "views/tasks.json"), "[]");
  expect(glanced?.tasks()).toBe(null);
  writeFileSync(join(home, "root"), "/elsewhere");
  expect(glanceAt(() => root, env)).toBe(null);
});
