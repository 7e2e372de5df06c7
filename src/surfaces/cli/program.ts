// The command line: names, flags and help. What a command does is loaded only when it is called.
import { Command, Option } from "commander";
import type { AddOptions } from "./add.ts";
import type { Context } from "./context.ts";
import type { DemoOptions } from "./demo.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { folder, nameList, wholeNumber } from "./options.ts";
import type { RunOptions } from "./run.ts";
import type { StatusOptions } from "./status.ts";

type World = Omit<Context, "root">;

/** Must be given to `parseAsync`; usage errors and help come out as a CommanderError. */
export function createProgram(world: World, version: string, onEnd: (code: ExitCode) => void): Command {
  const program = new Command("harness")
    .description("Supervises coding agents: gives each task to an agent, checks the work, survives crashes.")
    .version(version, "--version", "print the version")
    .option("--root <dir>", "the project's state root (default: the nearest folder upwards with .harness/)", folder)
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show a command's flags and examples")
    .showHelpAfterError("  next: harness help")
    .configureOutput({ writeOut: (text) => world.stdout.write(text), writeErr: (text) => world.stderr.write(text) })
    .exitOverride();
  const end = async (command: Command, work: (context: Context) => Promise<ExitCode>) =>
    onEnd(await work({ ...world, root: command.optsWithGlobals<{ root?: string }>().root }));

  define(program, "init", "make this git repository a Harness project; a second time changes nothing")
    .option("--yes", "ask nothing (for scripts)")
    .addHelpText("after", examples("harness init", "harness init --yes && harness add …"))
    .action((_options: unknown, command: Command) =>
      end(command, async (context) => (await import("./init.ts")).init(context)),
    );

  define(program, "add", "append a task to the plan")
    .argument("<title>", "what is to be done, in one line")
    .addOption(new Option("--priority <P>", "P0 is taken first").choices(["P0", "P1", "P2"]).default("P1"))
    .option("--depends-on <ids>", "tasks that must be completed first: a,b", nameList)
    .option("--validate <command>", "shell command that judges the work: exit code 0 is a pass")
    .option("--timeout <seconds>", "time limit of --validate (default: 300)", wholeNumber(timeoutRange))
    .option("--description <text>", "all that the agent needs to know beyond the title")
    .option("--max-attempts <n>", "attempts before the task has failed (default: 3)", wholeNumber(attemptRange))
    .option("--id <id>", "the task's name (default: the next task-NNN)")
    .option("--json", "print the task as JSON")
    .addHelpText(
      "after",
      examples(
        'harness add "Parse the config file" --validate "npm test -- config"',
        'harness add "Document it" --depends-on task-001 --validate "sh check-docs.sh" --priority P2',
      ),
    )
    .action((title: string, options: AddOptions, command: Command) =>
      end(command, async (context) => (await import("./add.ts")).add(title, options, context)),
    );

  define(program, "run", "work on the plan until nothing is left to do; continues where an earlier run stopped")
    .option("--lanes <n>", "tasks worked on at once", wholeNumber(laneRange), 1)
    .addOption(new Option("--agent <name>", "who does the work").choices(["command", "scripted"]))
    .option("--agent-command <command>", "shell command of the agent; it reads its task from standard input")
    .option("--agent-script <file>", "what the scripted agent does (JSON)")
    .option("--json", "print one JSON object at the end; progress goes to standard error")
    .addHelpText(
      "after",
      examples(
        "harness run --agent-command 'my-agent --headless'",
        "harness run --lanes 4 --agent-command 'sh agent.sh'",
      ),
    )
    .action((options: RunOptions, command: Command) =>
      end(command, async (context) => (await import("./run.ts")).run(options, context)),
    );

  define(program, "status", "show the plan and what is going on; also while a run is on")
    .option("--json", "print it as JSON")
    .addHelpText("after", examples("harness status", "harness status --json | jq .stats"))
    .action((options: StatusOptions, command: Command) =>
      end(command, async (context) => (await import("./status.ts")).status(options, context)),
    );

  define(program, "demo", "show it all on a throw-away project: no key, no network, about ten seconds")
    .option("--keep", "keep the throw-away project and say where it is")
    .addHelpText("after", examples("harness demo", "harness demo --keep"))
    .action((options: DemoOptions, command: Command) =>
      end(command, async (context) => (await import("./demo.ts")).demo(options, context)),
    );

  return program;
}

const laneRange = { from: 1, to: 100, counts: "how many tasks are worked on at once" };
const timeoutRange = { from: 1, to: 86_400, counts: "seconds that the validation may take" };
const attemptRange = { from: 1, to: 1_000, counts: "how often the task is tried" };

const define = (program: Command, name: string, summary: string): Command =>
  program.command(name).description(summary).showHelpAfterError(`  next: harness ${name} --help`);

const examples = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;

/** What commander's own ends mean: help and version are no errors. */
export const exitOfUsage = (code: number): ExitCode => (code === 0 ? exitCodes.done : exitCodes.usage);
