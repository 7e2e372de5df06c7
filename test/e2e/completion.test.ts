// The completion scripts in the shells they are for.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";
import { openTerminal } from "./tmux.ts";

async function writeScript(project: TestProject, shell: string): Promise<string> {
  const file = join(project.place, `completion.${shell}`);
  writeFileSync(file, (await project.must("completion", shell)).stdout);
  return file;
}

test("fish completes commands, flags, values and files, wherever the command stands", async () => {
  const project = createTestProject();
  project.write({ "plan-a.json": "{}" });
  const script = await writeScript(project, "fish");
  const complete = (line: string): readonly string[] =>
    project
      .sh("fish", "--no-config", "--command", 'source $argv[1]; complete --do-complete "$argv[2]"', script, line)
      .split("\n")
      .map((found) => found.split("\t")[0] ?? "");
  const offered = {
    "harness st": ["status", "stop"],
    "harness --root . st": ["status", "stop"],
    "harness tasks --graph ": ["dot", "mermaid", "tree"],
    "harness add x --pri": ["--priority"],
    "harness --root add status --watch": ["--watch"],
    "harness add status --wat": [""],
    "harness completion ": ["bash", "fish", "zsh"],
    "harness help st": ["status", "stop"],
    "harness run --agent-script plan": ["plan-a.json"],
  };
  expect(Object.fromEntries(Object.keys(offered).map((line) => [line, complete(line)]))).toEqual(offered);
});

test("zsh completes commands with what they do, flags, values and files", async () => {
  const project = createTestProject();
  project.write({ "plan-a.json": "{}" });
  const script = await writeScript(project, "zsh");
  const terminal = openTerminal(project, "zsh -f -i");
  /** Only its output stands alone on a line, on a screen that shows nothing older. */
  const enter = async (command: string, word: string) => {
    terminal.enter(`${command}; clear; echo ${word}`);
    await terminal.shows(new RegExp(`^${word}$`, "m"));
  };
  await enter(`PS1='> '; autoload -Uz compinit; compinit -u -D; source '${script}'`, "ready");
  let tries = 0;
  const tab = async (line: string, shown: string | RegExp) => {
    terminal.type(line);
    terminal.press("Tab");
    await terminal.shows(shown);
    terminal.press("C-c");
    tries += 1;
    await enter(":", `tried-${tries}`);
  };
  await tab("harness st", /^status +-- show the plan.*\nstop +-- end the run/m);
  await tab("harness --root . st", /^status +-- show the plan.*\nstop +-- end the run/m);
  await tab("harness tasks --graph ", /^dot +mermaid +tree$/m);
  await tab("harness add x --pri", "> harness add x --priority");
  await tab("harness completion z", "> harness completion zsh");
  await tab("harness help st", /^status +stop$/m);
  await tab("harness run --agent-script plan", "> harness run --agent-script plan-a.json");
});
