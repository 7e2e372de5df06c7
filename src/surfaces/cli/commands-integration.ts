// Commands for the work that agents did: take it, drop it, or go where it is.
import { type Command, Option } from "commander";
import type { AcceptOptions } from "./accept.ts";
import type { Definer } from "./define.ts";
import type { DropOptions } from "./drop.ts";
import type { OpenOptions } from "./open.ts";

export function defineIntegrationCommands({ define, end }: Definer): void {
  define(
    "accept",
    "bring finished work into your branch, whole or not at all",
    "harness accept",
    "harness accept task-001 task-003",
    "harness accept --squash",
    "harness accept --pr",
  )
    .argument("[tasks...]", "ids (default: everything that is finished)")
    .option("--squash", "as one commit")
    .addOption(new Option("--pr", "push the mission branch with your own git, once you said yes").conflicts("squash"))
    .option("--yes", "with --pr: push without asking")
    .option("--json", "print what was done as JSON")
    .action((tasks: readonly string[], options: AcceptOptions, command: Command) =>
      end(command, async (context) => (await import("./accept.ts")).accept(tasks, options, context)),
    );

  define("drop", "take finished work that is not wanted out of the mission branch", "harness drop task-001")
    .argument("<task>", "the task's id")
    .option("--json", "print what was done as JSON")
    .action((task: string, options: DropOptions, command: Command) =>
      end(command, async (context) => (await import("./drop.ts")).drop(task, options, context)),
    );

  define(
    "open",
    "go where a task is worked on, or where its last attempt was put away",
    "harness open task-001",
    'cd "$(harness open task-001 --print)"',
  )
    .argument("<task>", "the task's id")
    .option("--print", "only print the path")
    .action((task: string, options: OpenOptions, command: Command) =>
      end(command, async (context) => (await import("./open.ts")).open(task, options, context)),
    );
}
