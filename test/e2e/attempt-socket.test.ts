// PR-10: inside the sandbox an agent marks progress and looks at the plan through the socket of its attempt, and nothing else.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { cli } from "./project.ts";
import { createSandboxedProject, inSandbox, withAgent } from "./sandboxed.ts";

const harness = `'${process.execPath}' '${cli}'`;
/** Requests that no client of ours makes. */
const rude = `const net = require("node:net");
const say = (text) => new Promise((done) => { let got = ""; const s = net.createConnection(process.env.HARNESS_SOCKET, () => s.write(text));
  s.on("data", (d) => { got += d; }).on("error", () => undefined).on("close", () => done(got)); });
(async () => {
  const mark = { verb: "checkpoint", task: "task-001", step: 9, total: 9, description: "forged" };
  const said = [
    await say("garbage\\n"), await say("x".repeat(200000)), await say(JSON.stringify({ verb: "approve", name: "x" }) + "\\n"),
    await say(JSON.stringify({ ...mark, task: "task-002" }) + "\\n"), await say(JSON.stringify({ ...mark, fence: 99 }) + "\\n"),
  ];
  for (let i = 0; i < 100; i++) net.createConnection(process.env.HARNESS_SOCKET).on("error", () => undefined);
  require("node:fs").writeFileSync("rude.json", JSON.stringify(said.map((text) => text === "" ? "" : JSON.parse(text).ok)));
  process.exit(0);
})();
`;

inSandbox(
  "PR-10, A2: an agent marks progress and reads the plan; what is not its own, or not a request, changes nothing",
  async () => {
    const project = createSandboxedProject();
    project.write({ "../rude.cjs": rude });
    const run = await withAgent(
      project,
      [
        `${harness} checkpoint task-001 --step 1 --total 2 'half done' > mark.json`,
        `${harness} checkpoint task-002 --step 1 --total 2 'not mine' > other.json`,
        `${harness} status > status.txt; ${harness} tasks --json > tasks.json`,
        `${harness} add More --validate true > add.txt 2>&1; echo "exit $?" >> add.txt`,
        `'${process.execPath}' rude.cjs; echo a > a.txt`,
      ].join("\n"),
      "test -f a.txt",
    );
    project.commit({ "rude.cjs": rude });
    await project.must("add", "B", "--validate", "test -f a.txt", "--depends-on", "task-001");
    const end = await project.harness(...run, "--once");
    expect(end.code).toBe(5);
    const branch = await project.branch();
    const made = (file: string) => project.git("show", `${branch}:${file}`);
    expect(JSON.parse(made("mark.json"))).toEqual({ recorded: true, task_id: "task-001", step: 1, total: 2 });
    expect(JSON.parse(made("other.json"))).toEqual({
      recorded: false,
      error: "task-002 is not the task of this attempt",
    });
    expect(made("status.txt")).toContain("sandbox   bubblewrap");
    expect(JSON.parse(made("tasks.json")).map(({ id }: { id: string }) => id)).toEqual(["task-001", "task-002"]);
    expect(made("add.txt")).toContain("only checkpoint, status and tasks");
    expect(made("add.txt")).toContain("exit 1");
    expect(JSON.parse(made("rude.json"))).toEqual([false, "", false, false, false]);
    expect(end.stdout.match(/CHECKPOINT .*/g)).toEqual(['CHECKPOINT [task-001] step=1/2 "half done"']);
    expect(readFileSync(join(project.root, "harness-progress.txt"), "utf8")).not.toContain("forged");
  },
);
