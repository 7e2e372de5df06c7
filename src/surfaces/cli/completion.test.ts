import { Command, Option } from "commander";
import { expect, test } from "vitest";
import { wordsOf } from "./completion.ts";
import { bashScript, fishScript, zshScript } from "./completion-shells.ts";

const program = new Command("harness").option("--root <dir>", "where it's: [here]");
program
  .command("add")
  .description("it's a: \\ [trap] $(touch canary)")
  .addOption(new Option("-p, --priority <P>", "which").choices(["P0", "P1"]))
  .option("--json", "as JSON");
const words = wordsOf(program);

test("the words are those of the command line", () => {
  const help = { names: ["-h", "--help"], summary: "show help", takesValue: false, choices: [] };
  expect(words).toEqual({
    flags: [{ names: ["--root"], summary: "where it's: [here]", takesValue: true, choices: [] }, help],
    commands: [
      {
        name: "add",
        summary: "it's a: \\ [trap] $(touch canary)",
        flags: [
          { names: ["-p", "--priority"], summary: "which", takesValue: true, choices: ["P0", "P1"] },
          { names: ["--json"], summary: "as JSON", takesValue: false, choices: [] },
          help,
        ],
        choices: [],
      },
    ],
  });
});

test("each shell's script quotes what it shows", () => {
  expect(bashScript(words)).toContain("    'add -p'|'add --priority') words='P0 P1' ;;");
  expect(zshScript(words)).toContain("'add:it'\\''s a\\: \\\\ \\[trap\\] $(touch canary)'");
  expect(zshScript(words)).toContain("'--priority[which]:value:(P0 P1)'");
  expect(fishScript(words)).toContain("-a add -d 'it\\'s a: \\\\ [trap] $(touch canary)'");
  expect(fishScript(words)).toContain("'__harness_command_is add' -s p -l priority -x -a 'P0 P1' -d 'which'");
});
