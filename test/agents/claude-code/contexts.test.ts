// One context after the other: what the real Claude Code is given in each of them, as the model hears it.
import { expect, test } from "vitest";
import type { StatusView } from "../../../src/protocol/view.ts";
import { recordNumbers } from "../../numbers.ts";
import type { MockModel } from "../mock-model/server.ts";
import { withClaudeCode } from "./user.ts";

type Heard = MockModel["heard"][number];

/** The first request of each session. */
function firsts({ heard }: MockModel): readonly Heard[] {
  return heard.filter(({ session }, at) => heard.findIndex((other) => other.session === session) === at);
}

const commonPrefix = (a: string, b: string): number => {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
};

/** What we say: the role among the instructions, and the brief, before which Claude Code tells of the repository. */
function ours({ instructions, conversation }: Heard): string {
  const brief = conversation.find(({ role }) => role === "user")?.text ?? "";
  return [instructions.slice(instructions.indexOf("You are working on")), brief.slice(brief.indexOf("# Task "))].join(
    "\n",
  );
}

test("I1, I5, PR-7, M10: three iterations are three sessions with empty histories; each is told what the ones before left, after a text that stays the same", async () => {
  const { project, model } = await withClaudeCode("three-contexts");
  const check = "cat a.txt b.txt c.txt";
  const loop = ["loop", "Write a, b and c", "--validate", check, "--max-iterations", "5", "--agent", "claude-code"];
  const { code, stdout } = await project.harness(...loop, "--yes");
  expect([code, stdout]).toEqual([0, expect.stringContaining("TASK_COMPLETE")]);

  const sessions = firsts(model);
  expect([sessions.length, model.asked()]).toEqual([3, 7]);
  // Nothing was answered before: what the model is sent is ours, and what Claude Code says of its place.
  expect(sessions.map(({ conversation }) => conversation.filter(({ role }) => role === "assistant"))).toEqual([
    [],
    [],
    [],
  ]);
  const texts = sessions.map(ours);
  const tells = texts.map((text) => ["a.txt is written", "## You are resuming"].map((words) => text.includes(words)));
  expect(tells).toEqual([
    [false, false],
    [true, true],
    [true, true],
  ]);

  const [first = "", ...later] = texts;
  const same = later.map((text) => commonPrefix(first, text) / first.length);
  const after = later.map((text) => Buffer.byteLength(text) - Buffer.byteLength(first));
  expect(same.every((part) => part >= 0.99)).toBe(true);
  const [whole = "", ...others] = sessions.map(({ cached }) => cached);
  const wholes = others.map((text) => commonPrefix(whole, text) / whole.length);
  const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
  recordNumbers(
    ["PR-7"],
    `three contexts of the real Claude Code: our text the same for ${same.map(percent).join(" and ")} of its ${Buffer.byteLength(first)} bytes, then ${after.join(" and ")} bytes of what is new; of the whole request (${Buffer.byteLength(whole)} bytes, in the order of the cache) the first ${wholes.map(percent).join(" and ")}`,
  );
});

test.for([
  ["nearly-full", "asked, it hands over", "it handed over when 78 % of the 100000 tokens of its context were used"],
  ["full", "it goes on, and is ended", "it was ended when 91 % of the 100000 tokens of its context were used"],
] as const)(
  "I6: past three quarters of its context (%s): %s; the next one finishes, and no attempt is charged",
  async ([scenario, , message]) => {
    const agent = { use: "claude-code", options: { contextTokens: 100_000 } };
    const { project, model } = await withClaudeCode(scenario, undefined, { agent });
    await project.must("init", "--yes");
    await project.must("add", "Write both", "--validate", "cat half.txt rest.txt");
    const run = await project.harness("run");
    const { tasks } = JSON.parse((await project.must("status", "--json")).stdout) as StatusView;
    expect([run.code, tasks.map(({ attempts, status }) => [attempts, status])]).toEqual([0, [[1, "completed"]]]);
    // With the answer of its first tool, or, where that was quicker than we are, of its second.
    const third = model.heard[2];
    const asked = third?.conversation.filter(({ text }) => text.includes("Your context is nearly full")) ?? [];
    expect([...new Set(asked.map(({ role }) => role))]).toEqual(["system"]);
    const [first, next] = firsts(model);
    const isTold = (heard: Heard | undefined) => heard?.conversation.some(({ text }) => text.includes(message));
    expect([isTold(first), isTold(next)]).toEqual([false, true]);
    expect(project.processes()).toEqual([]);
  },
);

test("I6, B2: a cheaper model sums an iteration up that left nothing, without tools; the next one is told, and it is paid for", async () => {
  const { project, model } = await withClaudeCode("summed-up", undefined, { models: { summariser: "haiku" } });
  const loop = ["loop", "Write both", "--validate", "cat half.txt rest.txt", "--agent", "claude-code", "--yes"];
  const { code } = await project.harness(...loop);
  const [first, second] = firsts(model).map(ours);
  expect([code, firsts(model).length]).toEqual([0, 2]);
  const sums = model.asides.filter(({ instructions }) => instructions.includes("You sum up the end"));
  expect(sums.map(({ model: name, asked }) => [/haiku/.test(name), asked.includes("> Write half.txt")])).toEqual([
    [true, true],
  ]);
  const words = "half.txt is written; rest.txt is missing.";
  expect([first?.includes(words), second?.includes(words)]).toEqual([false, true]);
  const { used } = JSON.parse((await project.must("status", "--json")).stdout) as StatusView;
  const sent = model.used.reduce((sum, { input, output }) => sum + input + output, 0);
  expect([used.tokens.input + used.tokens.output, used.unknown]).toEqual([sent, 0]);
});
