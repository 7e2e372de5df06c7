import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent } from "../../protocol/agent.ts";
import { describeDriver, requestIn } from "../driver.contract.ts";
import type { AgentRequest } from "../driver.ts";
import { createScripted, scripted } from "./index.ts";

const driver = (...steps: unknown[]) => scripted.create(scripted.options.parse({ script: { default: steps } }));

describeDriver("scripted", {
  greeting: () => driver({ say: "hello" }),
  acting: () => driver({ run: "touch acted" }),
  hanging: () => driver({ run: "sleep 1000 & echo $$ $! > pids; echo hanging; wait" }),
  crashing: () => driver({ run: "printf '\\377\\000'; kill -SEGV $$" }),
  flooding: () => driver({ run: "head -c 20000000 /dev/zero" }),
});

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "scripted-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const requestFor = (more: Partial<AgentRequest>): AgentRequest => requestIn(cwd, more);

async function play(script: unknown, more: Partial<AgentRequest> = {}): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  const running = scripted.create(scripted.options.parse({ script }));
  for await (const event of running.run(requestFor(more), new AbortController().signal)) events.push(event);
  return events;
}
const endOf = async (script: unknown, more: Partial<AgentRequest> = {}) => {
  const last = (await play(script, more)).at(-1);
  return last?.type === "ended" ? last.end : last;
};
const failed = (kind: string, message: unknown) => ({ reason: "failed", failure: { kind, message } });

test("steps happen in order, and what was said last is the final message", async () => {
  const steps = [
    { write: "src/a.txt", text: "one\n" },
    { append: "src/a.txt", text: "two\n" },
    { write: "b.txt", text: "gone" },
    { remove: "b.txt" },
    { checkpoint: "1/3", text: 'half "way"\nthere' },
    { run: "tail -n 1; ls" },
    { say: "all done" },
  ];
  expect(await play({ default: steps })).toEqual([
    { type: "said", text: 'CHECKPOINT step=1/3 "half "way"\\nthere"\n' },
    { type: "said", text: "the briefsrc\n" },
    { type: "said", text: "all done\n" },
    { type: "ended", end: { reason: "finished", message: "all done" } },
  ]);
  expect(await readFile(join(cwd, "src/a.txt"), "utf8")).toBe("one\ntwo\n");
});

test("each attempt has its own steps, the last repeats, and unlisted tasks follow the default", async () => {
  const script = { tasks: { "task-001": [[{ say: "first" }], [{ say: "later" }]] }, default: [{ say: "other" }] };
  const at = [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }, { task: "task-002" }];
  expect(await Promise.all(at.map((place) => endOf(script, place)))).toEqual(
    ["first", "later", "later", "other"].map((message) => ({ reason: "finished", message })),
  );
});

test("steps after an end belong to the next iteration, the last iteration's repeat", async () => {
  const steps = [{ say: "a" }, { end: "unfinished" }, { say: "b" }, { end: { failed: "auth", message: "log in" } }];
  const ends = await Promise.all([1, 2, 3].map((iteration) => endOf({ default: steps }, { iteration })));
  expect(ends).toEqual([{ reason: "unfinished", message: "a" }, failed("auth", "log in"), failed("auth", "log in")]);
});

test("a task the script does not know is a mistake in the script", async () => {
  expect(await endOf({ tasks: {} })).toEqual(failed("config", "the script has no steps for task-001, and no default"));
});

test("a program that fails ends the iteration, quoting its output", async () => {
  expect(await play({ default: [{ run: "echo why; exit 4" }, { write: "later", text: "" }] })).toEqual([
    { type: "said", text: "why\n" },
    {
      type: "ended",
      end: {
        reason: "failed",
        failure: { kind: "task_exec", message: "exited with 4: echo why; exit 4", evidence: "why\n" },
      },
    },
  ]);
});

test("no step leaves the workspace, not even through a link", async () => {
  const outside = await mkdtemp(join(tmpdir(), "outside-"));
  await writeFile(join(outside, "file"), "untouched");
  await symlink(outside, join(cwd, "folder"));
  await symlink(join(outside, "file"), join(cwd, "link"));
  await mkdir(join(cwd, "inside"));
  const ends = [
    await endOf({ default: [{ write: "folder/new/file", text: "x" }] }),
    await endOf({ default: [{ remove: "folder/file" }] }),
    await endOf({ default: [{ append: "link", text: "x" }] }),
    await endOf({ default: [{ remove: "." }] }),
    await endOf({ default: [{ remove: "link" }] }),
  ];
  expect(ends).toEqual([
    failed("task_exec", "step write folder/new/file: the path leaves the workspace: folder/new/file"),
    failed("task_exec", "step remove folder/file: the path leaves the workspace: folder/file"),
    failed("task_exec", expect.stringMatching(/^step append link: ELOOP/)),
    failed("task_exec", "step remove .: the path leaves the workspace: ."),
    { reason: "finished", message: "" },
  ]);
  expect(await readFile(join(outside, "file"), "utf8")).toBe("untouched");
  await rm(outside, { recursive: true });
});

test("waiting ends at the time limit or on abort", async () => {
  const stop = new AbortController();
  const waiting = driver({ say: "waiting" }, { wait: 100_000 }).run(requestFor({}), stop.signal);
  const events: AgentEvent[] = [];
  for await (const event of waiting) {
    events.push(event);
    stop.abort();
  }
  expect(events.at(-1)).toEqual({ type: "ended", end: { reason: "interrupted" } });
  expect(await endOf({ default: [{ wait: 100_000 }] }, { timeoutMs: 20 })).toEqual(
    failed("timeout", "the script took longer than 20 ms"),
  );
  expect(await endOf({ default: [{ wait: 1 }] })).toEqual({ reason: "finished", message: "" });
});

test("crash strikes the process that supervises", async () => {
  let crashes = 0;
  const variant = createScripted(() => {
    crashes += 1;
  });
  const running = variant.create(variant.options.parse({ script: { default: [{ crash: true }, { say: "never" }] } }));
  const events: AgentEvent[] = [];
  for await (const event of running.run(requestFor({}), new AbortController().signal)) events.push(event);
  expect([crashes, events]).toEqual([1, [{ type: "ended", end: { reason: "interrupted" } }]]);
});

test("a script may be a file; what is wrong with it is said with its place", async () => {
  const path = join(cwd, "script.json");
  await writeFile(path, JSON.stringify({ default: [{ say: "from a file" }] }));
  expect(await endOf(path)).toEqual({ reason: "finished", message: "from a file" });
  await writeFile(path, JSON.stringify({ tasks: { "task-001": [[{ say: "x" }, { shout: "x" }]] } }));
  expect(await endOf(path)).toEqual(
    failed(
      "config",
      expect.stringContaining(`script ${path}, at tasks.task-001.0.1: must be an object with one of: say,`),
    ),
  );
  await writeFile(path, "{");
  expect(await endOf(path)).toEqual(failed("config", expect.stringContaining(`script ${path}: `)));
  expect(await endOf(join(cwd, "nowhere.json"))).toEqual(failed("config", expect.stringContaining("ENOENT")));
});

test.for([
  [{ default: [{ write: "/etc/passwd", text: "" }] }, "script.default.0.write: must be a path inside the workspace"],
  [{ default: [{ write: "a/../../b", text: "" }] }, "script.default.0.write: must be a path inside the workspace"],
  [{ default: [{ checkpoint: "one", text: "" }] }, 'script.default.0.checkpoint: must be "step/total"'],
  [{ default: [{ end: "maybe" }] }, 'script.default.0.end: must be "finished", "unfinished", { limited'],
  [{ default: [{ say: "x", louder: true }] }, 'script.default.0: Unrecognized key: "louder"'],
  [{ default: ["say"] }, "script.default.0: must be an object with one of: say, write"],
  [{ steps: [] }, 'script: Unrecognized key: "steps"'],
  [{ tasks: { "task-001": [] } }, "script.tasks.task-001: must hold the steps of at least one attempt"],
  [7, "script: Invalid input: expected object"],
] as const)("%j is refused by name and place", ([script, expected]) => {
  const issues = scripted.options.safeParse({ script }).error?.issues ?? [];
  expect(issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([
    expect.stringContaining(expected),
  ]);
});
