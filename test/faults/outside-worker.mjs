// A worker that knows nothing of Harness but its verbs: claims, writes one file, hands in – until nothing is left.
// Says each step on standard output; `hold` makes it wait, after its first claim, for a line on standard input.
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const [, , cli, root, mode = "go"] = process.argv;

function verb(args, env = {}) {
  const output = execFileSync(process.execPath, [cli, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(output);
}

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const line = () => new Promise((resolve) => process.stdin.once("data", resolve));
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let held = mode !== "hold";
for (;;) {
  const claimed = verb(["claim", "--trust-all"]);
  say(claimed);
  if (!claimed.claimed) {
    if (/all tasks are completed|failed/.test(claimed.error)) break;
    await pause(250);
    continue;
  }
  if (!held) {
    held = true;
    await line();
  }
  try {
    appendFileSync(join(claimed.workspace, `${claimed.task_id}.txt`), `${process.env.HARNESS_WORKER_ID}\n`);
  } catch (error) {
    // Put away while it slept: then its word must not count either.
    say({ wrote: false, code: error.code });
  }
  say(verb(["done", claimed.task_id], { HARNESS_FENCE: String(claimed.fence) }));
}
process.exit(0);
