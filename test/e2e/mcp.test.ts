// MCP: an agent of any kind tells by the tools of its attempt, over `harness mcp`, in a sandbox and without one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, createTestProject, type TestProject } from "./project.ts";
import { createSandboxedProject, inSandbox, withAgent } from "./sandboxed.ts";

/** An agent that speaks JSON-RPC to `harness mcp`: one line after another, all of it kept in `said.json`. */
const client = `const { spawn } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const open = () => {
  const server = spawn(process.execPath, [${JSON.stringify(cli)}, "mcp"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let text = "";
  server.stdout.setEncoding("utf8").on("data", (piece) => {
    const lines = (text += piece).split("\\n");
    text = lines.pop();
    for (const line of lines) waiting.shift()?.(JSON.parse(line));
  });
  return { tell: (message) => server.stdin.write(JSON.stringify(message) + "\\n"), say: (line) => new Promise((done) => { waiting.push(done); server.stdin.write(line + "\\n"); }),
    end: () => new Promise((done) => { server.on("exit", done); server.stdin.end(); }) };
};
let ids = 0;
const ask = (server, method, params) => server.say(JSON.stringify({ jsonrpc: "2.0", id: ++ids, method, params }));
const call = async (server, name, given) => {
  const { result, error } = await ask(server, "tools/call", { name, arguments: given });
  return error ? [error.code, error.message] : [result.isError, result.content[0].text];
};
`;

const script = (body: string): string =>
  `${client}(async () => {\n${body}\n})().then((said) => writeFileSync("said.json", JSON.stringify(said)));\n`;

/** A project with one task, whose agent is this program; the answers to its calls. */
async function told(project: TestProject, body: string): Promise<{ code: number | null; said: unknown; log: string }> {
  project.commit({ "client.cjs": script(body) });
  const run = await withAgent(project, `'${process.execPath}' client.cjs`, "test -f said.json");
  const { code } = await project.harness(...run);
  const branch = await project.branch();
  const said = JSON.parse(project.git("show", `${branch}:said.json`));
  return { code, said, log: readFileSync(join(project.root, "harness-progress.txt"), "utf8") };
}

const linesOf = (log: string): readonly string[] =>
  [...log.matchAll(/(?<=SESSION-\d\] )(?:WARN|CHECKPOINT) \[task-001\].*/g)].map(([line]) => line);

const everyTool = `const server = open();
const { result } = await ask(server, "initialize", { protocolVersion: "2025-06-18", capabilities: {} });
server.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
const listed = await ask(server, "tools/list");
const said = [
  [result.protocolVersion, result.serverInfo.name, listed.result.tools.map(({ name }) => name).join(" ")],
  await call(server, "checkpoint", { step: 1, total: 2, description: "half" }),
  await call(server, "note", { text: "the parser is slow" }),
  await call(server, "handoff", { summary: "half is there", next: "the rest" }),
  await call(server, "inbox_add", { title: "A ../ finding", text: "it leaks" }),
  await call(server, "add_task", { title: "More", validate: "make more", depends_on: ["task-001"] }),
];
return [...said, await server.end()];`;

const everyAnswer = [
  ["2025-06-18", "harness", "checkpoint handoff note inbox_add ask_human add_task"],
  [false, "Step 1 of 2 is marked."],
  [false, "Noted."],
  [false, "Kept for whoever goes on with this task."],
  [false, "Kept for the inbox."],
  [false, "Recorded as add-task-001-1-1: a person has to accept its command first. Go on with your own task."],
  0,
];

async function expectEveryTool(project: TestProject): Promise<void> {
  const { code, said, log } = await told(project, everyTool);
  expect([code, said]).toEqual([8, everyAnswer]);
  expect(linesOf(log)).toEqual([
    'CHECKPOINT [task-001] step=1/2 "half"',
    "WARN [task-001] note: the parser is slow",
    "WARN [task-001] handed off: half is there",
    "WARN [task-001] finding 1 for the inbox: A ../ finding",
    "WARN [task-001] proposed a task: More",
  ]);
  const inbox = join(project.root, ".harness/search_results");
  const [file = ""] = readdirSync(inbox);
  expect([file, readFileSync(join(inbox, file), "utf8")]).toEqual([
    expect.stringMatching(/^\d{8}T\d{6}-001-task-001-a-finding\.md$/),
    expect.stringContaining("it leaks\n"),
  ]);
  await project.must("approve", "add-task-001-1-1");
  const tasks = JSON.parse((await project.must("tasks", "--json")).stdout);
  expect(tasks.map(({ id, title }: { id: string; title: string }) => [id, title])).toEqual([
    ["task-001", "A"],
    ["task-002", "More"],
  ]);
}

test("MCP1, MCP3, MCP4, MCP6: the tools of an attempt do what they say, and a command waits for a person", () =>
  expectEveryTool(createTestProject()));

inSandbox("MCP1, PR-10: in a sandbox they do the same", () => expectEveryTool(createSandboxedProject()));

test("MCP5: a question ends a run with 8; the answer is in the brief of the next attempt", async () => {
  const project = createTestProject();
  project.commit({
    "client.cjs": script(`const server = open();
return [await call(server, "ask_human", { question: "SQLite or files?" }), await server.end()];`),
  });
  const run = await withAgent(project, "", "grep -q 'yes: one fil[e]' brief.txt");
  project.write({ "../agent.sh": `cat > brief.txt\n'${process.execPath}' client.cjs\n` });
  expect((await project.harness(...run)).code).toBe(8);
  await project.must("approve", "ask-task-001-1-1", "--note", "one file");
  expect((await project.harness(...run)).code).toBe(0);
});

test("MCP2, MCP7: what is no request, too long, unknown, too often, by two at once or too late is answered, and harms nothing", async () => {
  const project = createTestProject();
  const { code, said, log } = await told(
    project,
    `const server = open();
const other = open();
const code = ({ error }) => error.code;
const first = [
  code(await server.say("garbage")), code(await server.say("[1]")), code(await server.say('{"id":{},"method":"ping"}')),
  code(await ask(server, "server/discover")), (await ask(server, "ping")).result,
  await call(server, "approve", { name: "x" }), await call(server, "note", { text: 7 }),
  await call(server, "note", { text: "x", task: "task-002" }), await call(server, "note", { text: "x".repeat(3000) }),
  await call(server, "add_task", { title: "B", depends_on: ["../x"] }), await call(server, "add_task", { title: "B", depends_on: ["nope"] }),
];
const both = await Promise.all([server, other].map((one) => call(one, "note", { text: "both" })));
const flood = [];
for (let n = 0; n < 300; n++) flood.push(await call(n % 2 ? server : other, "add_task", { title: "t" + n, validate: "true" + n }));
const long = [(await server.say("x".repeat(3_000_000))).error.message, (await ask(server, "ping")).result];
process.env.HARNESS_SOCKET = "/nowhere/" + "x".repeat(200) + "/socket";
const late = open();
const ended = await call(late, "note", { text: "too late" });
await Promise.all([server, other, late].map((one) => one.end()));
return [first, both, flood.filter(([failed]) => !failed).length, [...new Set(flood.slice(5).map(([, why]) => why))], long, ended];`,
  );
  expect([code, said]).toEqual([
    8,
    [
      [
        ...[-32_700, -32_600, -32_600, -32_601, {}],
        [-32_602, "there is no such tool; there are: checkpoint, handoff, note, inbox_add, ask_human, add_task"],
        [true, "text: Invalid input: expected string, received number"],
        [true, 'note: Unrecognized key: "task"'],
        [true, "text: Too big: expected string to have <=2000 characters"],
        [true, expect.stringContaining("depends_on.0: must be 1–64 letters")],
        [true, '"task-002" depends on "nope", which does not exist – run: harness status'],
      ],
      [
        [false, "Noted."],
        [false, "Noted."],
      ],
      5,
      ["add_task was used 5 times in this attempt: that is all"],
      ["that is too long: a line may have 1048576 characters", {}],
      [true, "the run that owns this attempt does not answer: the attempt may have ended"],
    ],
  ]);
  expect(linesOf(log).length).toBe(7);
});

test("MCP1: outside of an attempt there are none, and that is said", async () => {
  const project = createTestProject();
  const { code, stderr } = await project.harness("mcp");
  expect([code, stderr]).toEqual([1, expect.stringContaining("they are those of an attempt, and this is not in one")]);
});
