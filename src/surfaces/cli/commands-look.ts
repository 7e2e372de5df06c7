// Commands that only look.
import { Argument, type Command, Option } from "commander";
import type { BriefOptions } from "./brief.ts";
import type { Shell } from "./completion.ts";
import type { Definer } from "./define.ts";
import { type HelpOptions, help } from "./help.ts";
import type { LogsOptions } from "./logs.ts";
import { wholeNumber } from "./options.ts";
import type { RunsOptions } from "./runs.ts";
import type { StatusOptions } from "./status.ts";
import type { TasksOptions } from "./tasks.ts";

const lineRange = { from: 0, to: 1_000_000, counts: "the last lines of the log" };
const attemptRange = { from: 1, to: 1_000_000, counts: "the attempts of a task" };
const statuses = ["pending", "in_progress", "completed", "failed", "blocked"];

export function defineLookCommands({ define, end }: Definer, program: Command): void {
  define(
    "status",
    "show the plan and what is going on; also while a run is on",
    "harness status",
    "harness status --watch",
    "harness status --json | jq .stats",
  )
    .option("--watch", "redraw it after every change, until Ctrl-C")
    .addOption(new Option("--json", "print it as JSON").conflicts("watch"))
    .action((options: StatusOptions, command: Command) =>
      end(command, async (context) => (await import("./status.ts")).status(options, context)),
    );

  define("next", "say what to do next here; the same as harness without anything", "harness", "harness next").action(
    (_: object, command: Command) =>
      end(command, async (context) => (await import("./next.ts")).next(program, context)),
  );

  define(
    "tasks",
    "show the plan's tasks",
    "harness tasks --status failed",
    "harness tasks --graph tree",
    "harness tasks --graph dot | dot -Tsvg > plan.svg",
  )
    .addOption(new Option("--status <status>", "only these").choices(statuses))
    .addOption(
      new Option("--graph <form>", "show what depends on what")
        .choices(["tree", "mermaid", "dot"])
        .conflicts(["status", "json"]),
    )
    .option("--json", "print them as JSON")
    .action((options: TasksOptions, command: Command) =>
      end(command, async (context) => (await import("./tasks.ts")).tasks(options, context)),
    );

  define(
    "runs",
    "show every run there was: how it ended, its iterations and what it cost",
    "harness runs",
    "harness runs --json | jq '.[-1].cost_usd'",
  )
    .option("--json", "print them as JSON")
    .action((options: RunsOptions, command: Command) =>
      end(command, async (context) => (await import("./runs.ts")).runs(options, context)),
    );

  define(
    "brief",
    "show what the agent of a task would be given now, and how long its parts are",
    "harness brief task-001",
  )
    .argument("<task>", "the task's id")
    .option("--json", "print it as JSON")
    .action((task: string, options: BriefOptions, command: Command) =>
      end(command, async (context) => (await import("./brief.ts")).brief(task, options, context)),
    );

  define(
    "logs",
    "show what happened, one line each, or what a task's agent did",
    "harness logs -n 20",
    "harness logs --follow",
    "harness logs task-001",
    "harness logs -f task-001",
    "harness logs task-001 --raw | jq .type",
    "harness logs task-001 --log",
  )
    .argument("[task]", "what its agent said and did, and what checked it, in the last attempt")
    .option("-f, --follow", "go on until Ctrl-C, or until the task has ended")
    .addOption(
      new Option("--log", "the lines of the log about the task, instead").conflicts(["output", "raw", "attempt"]),
    )
    .addOption(new Option("--raw", "what its agent printed, as it is").conflicts("output"))
    .option("--output", "what all its programs printed, as text")
    .addOption(
      new Option("--attempt <n>", "another attempt than the last")
        .argParser(wholeNumber(attemptRange))
        .conflicts("output"),
    )
    .option("-n, --lines <n>", "the last so many lines; of the log 50, if not given", wholeNumber(lineRange))
    .action((task: string | undefined, options: LogsOptions, command: Command) =>
      end(command, async (context) => (await import("./logs.ts")).logs(task, options, context)),
    );

  define(
    "completion",
    "print a script that makes a shell complete commands and flags",
    "source <(harness completion bash)",
    "harness completion fish > ~/.config/fish/completions/harness.fish",
  )
    .addArgument(new Argument("<shell>", "which shell").choices(["bash", "zsh", "fish"]))
    .action((shell: Shell, _options: unknown, command: Command) =>
      end(command, async (context) => (await import("./completion.ts")).completion(shell, program, context)),
    );

  define("help", "show a command's flags and examples", "harness help run", "harness help --all")
    .argument("[command...]", "which one")
    .option("--all", "show all commands")
    .action((names: readonly string[], options: HelpOptions, command: Command) =>
      end(command, async (context) => help(names, options, program, context)),
    );
}
