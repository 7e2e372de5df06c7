// Commands that make and change the plan.
import { type Command, Option } from "commander";
import type { AddOptions } from "./add.ts";
import type { Definer } from "./define.ts";
import type { EditOptions } from "./edit.ts";
import type { InitOptions } from "./init.ts";
import { nameList, namesOrNone, outputPaths, outputsOrNone, wholeNumber } from "./options.ts";
import type { ValidateOptions } from "./validate.ts";

const timeoutRange = { from: 1, to: 86_400, counts: "seconds that the validation may take" };
const attemptRange = { from: 1, to: 1_000, counts: "how often the task is tried" };
const priorities = ["P0", "P1", "P2"];
const kinds = ["task", "feature", "fix"];

export function definePlanCommands({ define, end }: Definer): void {
  define(
    "init",
    "make this git repository a Harness project; a second time only offers a set-up it lacks",
    "harness init",
    "harness init --yes && harness add …",
  )
    .option("--yes", "ask nothing: take the proposed set-up, no harness-init.sh, no change of .gitignore")
    .action((options: InitOptions, command: Command) =>
      end(command, async (context) => (await import("./init.ts")).init(options, context)),
    );

  define(
    "add",
    "append a task to the plan; a terminal without these flags is asked",
    'harness add "Parse the config file" --validate "npm test -- config"',
    'harness add "Document it" --depends-on task-001 --validate "sh check-docs.sh" --priority P2',
    'harness add "Write the report" --output report.md --output "figures/*.png" --validate "sh check.sh"',
    'harness add "Speed it up" --quick "npm run lint" --validate "npm test" --cleanup "docker compose down"',
  )
    .argument("<title>", "what is to be done, in one line")
    .addOption(new Option("--priority <P>", "P0 is taken first (default: P1)").choices(priorities))
    .addOption(new Option("--kind <kind>", "what sort of work it is (default: task)").choices(kinds))
    .option("--phase <name>", "stretch of the plan; the id begins with it: engineering gives eng-001")
    .option("--depends-on <ids>", "tasks that must be completed first: a,b", nameList)
    .option("--validate <command>", "shell command that judges the work: exit code 0 is a pass")
    .option("--quick <command>", "cheaper check that runs before --validate; both must pass")
    .option("--timeout <seconds>", "time limit of --validate (default: 300)", wholeNumber(timeoutRange))
    .option("--output <file>", "file that the work must hold, well-formed; a pattern or again for more", outputPaths)
    .option("--cleanup <command>", "shell command that runs after a failed attempt")
    .option("--description <text>", "all that the agent needs to know beyond the title")
    .option(
      "--max-attempts <n>",
      "attempts before the task has failed (default: 3; a feature: 5)",
      wholeNumber(attemptRange),
    )
    .option("--id <id>", "the task's name (default: the next task-NNN, or the next of its phase)")
    .option("--yes", "ask nothing")
    .option("--json", "print the task as JSON")
    .action((title: string, options: AddOptions, command: Command) =>
      end(command, async (context) => (await import("./add.ts")).add(title, options, context)),
    );

  define(
    "edit",
    "change a task that is not under way; an empty text takes away what is there",
    'harness edit task-001 --validate "npm test" --timeout 600',
    'harness edit task-002 --depends-on "" --priority P0',
  )
    .argument("<task>", "the task's id")
    .option("--title <text>", "what is to be done, in one line")
    .addOption(new Option("--kind <kind>", "what sort of work it is").choices(kinds))
    .option("--phase <name>", "stretch of the plan; the id stays")
    .option("--description <text>", "all that the agent needs to know beyond the title")
    .addOption(new Option("--priority <P>", "P0 is taken first").choices(priorities))
    .option("--depends-on <ids>", "all tasks that must be completed first: a,b", namesOrNone)
    .option("--validate <command>", "shell command that judges the work")
    .option("--quick <command>", "cheaper check that runs before --validate")
    .option("--timeout <seconds>", "time limit of --validate", wholeNumber(timeoutRange))
    .option("--output <file>", "all files that the work must hold; again for more", outputsOrNone)
    .option("--cleanup <command>", "shell command that runs after a failed attempt")
    .option("--json", "print the task as JSON")
    .action((task: string, options: EditOptions, command: Command) =>
      end(command, async (context) => (await import("./edit.ts")).edit(task, options, context)),
    );

  define(
    "validate",
    "check a plan file: schema, ids, dependencies, circles, criteria",
    "harness validate",
    "harness validate plan.json --json",
    "harness validate .harness/features.json",
    "harness validate --test",
  )
    .argument("[file]", "the plan file (default: the one of the project that would be adopted)")
    .option("--test", "check built-in good and bad files instead")
    .option("--json", "print what was found as JSON")
    .action((file: string | undefined, options: ValidateOptions, command: Command) =>
      end(command, async (context) => (await import("./validate.ts")).validate(file, options, context)),
    );
}
