// Commands that steer a mission, also while a run of another process is on.
import { Argument, type Command } from "commander";
import type { ApproveOptions } from "./approve.ts";
import type { Definer } from "./define.ts";
import type { DenyOptions } from "./deny.ts";
import type { InboxOptions, InboxVerb } from "./inbox.ts";
import type { RescueOptions, RescueVerb } from "./rescue.ts";
import type { ResetOptions } from "./reset.ts";
import type { SandboxOptions, SandboxVerb } from "./sandbox.ts";
import type { StopOptions } from "./stop.ts";
import type { TrustOptions, TrustVerb } from "./trust.ts";

export function defineControlCommands({ define, end }: Definer): void {
  define("pause", "finish the tasks under way, then start nothing new", "harness pause").action(
    (_options: unknown, command: Command) =>
      end(command, async (context) => (await import("./pause.ts")).pause(context)),
  );

  define("resume", "take a pause back", "harness resume").action((_options: unknown, command: Command) =>
    end(command, async (context) => (await import("./resume.ts")).resume(context)),
  );

  define("stop", "end the run after the tasks under way; all work is kept", "harness stop", "harness stop --now")
    .option("--now", "do not wait for the tasks under way; the next run goes on with them")
    .action((options: StopOptions, command: Command) =>
      end(command, async (context) => (await import("./stop.ts")).stop(options, context)),
    );

  define(
    "approve",
    "say yes to a question that waits for a person",
    "harness status",
    "harness approve deploy",
    'harness approve ask-task-001-1-1 --note "SQLite, one file"',
  )
    .argument("<name>", "the question's name, as status shows it")
    .option("--note <text>", "what an agent that asked is told with it")
    .action((name: string, options: ApproveOptions, command: Command) =>
      end(command, async (context) => (await import("./approve.ts")).approve(name, options, context)),
    );

  define(
    "deny",
    "say no to a question that waits for a person; the task it holds is given up",
    'harness deny deploy --note "not before Monday"',
  )
    .argument("<name>", "the question's name, as status shows it")
    .option("--note <text>", "why not")
    .action((name: string, options: DenyOptions, command: Command) =>
      end(command, async (context) => (await import("./deny.ts")).deny(name, options, context)),
    );

  define(
    "trust",
    "what this project wants to run: show it, accept it, take it back; list what you accepted",
    "harness trust show",
    "harness trust accept",
    "harness trust list",
    "harness trust revoke",
  )
    .addArgument(new Argument("[verb]", "what to do").choices(["show", "list", "accept", "revoke"]).default("show"))
    .argument("[hash]", "of exactly what was shown")
    .option("--json", "print it as JSON")
    .action((verb: TrustVerb, hash: string | undefined, options: TrustOptions, command: Command) =>
      end(command, async (context) => (await import("./trust.ts")).trust(verb, hash, options, context)),
    );

  define(
    "sandbox",
    "what keeps agents in their workspace on this machine; agree to work without one",
    "harness sandbox",
    "harness sandbox consent",
    "harness sandbox revoke",
  )
    .addArgument(new Argument("[verb]", "what to do").choices(["show", "consent", "revoke"]).default("show"))
    .option("--yes", "with consent: ask nothing")
    .option("--json", "print it as JSON")
    .action((verb: SandboxVerb, options: SandboxOptions, command: Command) =>
      end(command, async (context) => (await import("./sandbox.ts")).sandbox(verb, options, context)),
    );

  define("retry", "give a failed task one more attempt", "harness retry task-001")
    .argument("<task>", "the task's id")
    .action((task: string, _options: unknown, command: Command) =>
      end(command, async (context) => (await import("./retry.ts")).retry(task, context)),
    );

  define(
    "reset",
    "begin failed tasks and those in progress anew, with no attempt used",
    "harness reset task-001 task-002",
    "harness reset --yes",
  )
    .argument("[tasks...]", "ids (default: all that failed or are in progress)")
    .option("--yes", "ask nothing")
    .action((tasks: readonly string[], options: ResetOptions, command: Command) =>
      end(command, async (context) => (await import("./reset.ts")).reset(tasks, options, context)),
    );

  define(
    "rescue",
    "work that was set aside: list it, show one, restore it into a new directory, drop it",
    "harness rescue list",
    "harness rescue show task-001/2",
    "harness rescue restore task-001/2 --to ../looking-at-it",
    "harness rescue drop task-001/2",
    "harness rescue drop --expired",
  )
    .addArgument(new Argument("<verb>", "what to do").choices(["list", "show", "restore", "drop"]))
    .argument("[name]", "which one, as list shows it")
    .option("--to <dir>", "restore there (default: ./rescued-<task>-<attempt>)")
    .option("--expired", "drop all that are older than rescue.keepDays")
    .option("--yes", "drop without asking")
    .option("--json", "print it as JSON")
    .action((verb: RescueVerb, name: string | undefined, options: RescueOptions, command: Command) =>
      end(command, async (context) => (await import("./rescue.ts")).rescue(verb, name, options, context)),
    );

  define(
    "inbox",
    "results of research that agents and tools left: list them, or process them into an overview",
    "harness inbox",
    "harness inbox process",
    "harness inbox process --json | jq .processed",
  )
    .addArgument(new Argument("[verb]", "what to do").choices(["list", "process"]).default("list"))
    .option("--json", "print it as JSON")
    .action((verb: InboxVerb, options: InboxOptions, command: Command) =>
      end(command, async (context) => (await import("./inbox.ts")).inbox(verb, options, context)),
    );
}
