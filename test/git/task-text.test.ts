import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { TaskId } from "../../src/protocol/ids.ts";
import { createCloneWorkspaces } from "../../src/workspaces/index.ts";
import { hostileStrings } from "../corpus/hostile-strings.ts";
import { recordGit } from "./recorded-git.ts";
import { makeTrapped, plain, removeTemplate, type Trapped } from "./trapped.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 180_000 });

const { PATH = "" } = process.env;
afterEach(() => {
  process.env.PATH = PATH;
});
afterAll(removeTemplate);

const optionsOf = ({ checkout, directory }: Trapped) => ({
  repository: checkout,
  home: join(directory, "state"),
  branch: "harness/mission-x",
  rootPrefix: "",
});
/** In every hostile text, so that it is recognised wherever it turns up. */
const mark = "zqmark";

test("PR-16: hostile texts in commit messages and file names reach git by stdin and files, never as an argument", async () => {
  const trapped = await makeTrapped();
  const recorded = recordGit(trapped.directory);
  process.env.PATH = `${recorded.path}:${PATH}`;
  const workspaces = createCloneWorkspaces(optionsOf(trapped));
  const opened = await workspaces.open({ slot: 0, task: "task-1", attempt: 1, fence: 1 });
  if (!opened.ok || opened.value.merged) throw new Error("a fresh workspace was expected");
  const { path, base } = opened.value;
  // git takes signs that are none for another encoding and recodes them.
  const isText = (text: string): boolean => !/[\0\p{Surrogate}\p{Noncharacter_Code_Point}]/u.test(text);
  const texts = hostileStrings.filter(isText).map((text) => `${text}${mark}`);
  expect(texts.length).toBeGreaterThan(300);

  const names = texts.filter((text) => !/[/\\]|^\.git/i.test(text) && Buffer.byteLength(text) < 200);
  expect(names.length).toBeGreaterThan(100);
  await mkdir(join(path, "names"));
  for (const name of names) await writeFile(join(path, "names", name), "x\n");

  const perMessage = 30;
  for (let i = 0; i < texts.length; i += perMessage) {
    const message = `${texts.slice(i, i + perMessage).join("\n")}\n\nHarness-Task: task-1\n`;
    const committed = await workspaces.commit({ path, base, message });
    if (!committed.ok) throw new Error(committed.failure.message);
    expect(await plain(trapped.checkout, "log", "-1", "--format=%B", committed.value.commit)).toBe(message.trimEnd());
    const proof = i === 0 ? await workspaces.proof({ slot: 0, commit: committed.value.commit }) : null;
    expect(proof?.ok ?? true).toBe(true);
  }
  const calls = recorded.calls();
  expect(calls.length).toBeGreaterThan(100);
  expect(calls.filter((args) => args.some((arg) => arg.includes(mark)))).toEqual([]);
  expect(await trapped.sprung()).toEqual([]);
});

test("PR-16: a hostile text is no task id and no mission branch, or is a harmless one", async () => {
  const trapped = await makeTrapped();
  const harmless = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
  for (const text of hostileStrings) {
    if (TaskId.safeParse(text).success) expect(text).toMatch(harmless);
    const make = () => createCloneWorkspaces({ ...optionsOf(trapped), branch: `harness/${text}` });
    if (!harmless.test(text)) expect(make).toThrow("not a mission branch");
  }
});
