// Verbs for a script or agent that does the work itself.
import { type Command, Option } from "commander";
import type { Category } from "../../protocol/failure.ts";
import type { Definer } from "./define.ts";
import { wholeNumber } from "./options.ts";
import type { CheckpointOptions, ClaimOptions, FailOptions } from "./worker-verbs.ts";

const categories: readonly Category[] = [
  "ENV_SETUP",
  "CONFIG",
  "TASK_EXEC",
  "TEST_FAIL",
  "TIMEOUT",
  "DEPENDENCY",
  "SESSION_TIMEOUT",
];
const steps = { from: 0, to: 1_000_000, counts: "steps" };
const task = ["[task]", "the claimed task (default: HARNESS_TASK_ID)"] as const;

export function defineWorkerCommands({ define, end }: Definer): void {
  define(
    "claim",
    "take the next task to do it yourself: answers with a workspace, a lease and a fence",
    "harness claim",
    "HARNESS_WORKER_ID=ci-7 HARNESS_LEASE_SECONDS=600 harness claim",
  )
    .option("--here", "work in this checkout, on the branch that is checked out, instead of in a clone")
    .option("--with-changes", "with --here: what is not committed becomes part of the work; without it that is refused")
    .option("--trust <hash>", "the project's own commands, as a claim without it showed them, may run")
    .addOption(new Option("--trust-all", "whatever commands came with the project may run").conflicts("trust"))
    .action((options: ClaimOptions, command: Command) =>
      end(command, async (context) => (await import("./worker-verbs.ts")).claim(options, context)),
    );

  define("renew", "keep a claimed task for another lease", "HARNESS_FENCE=7 harness renew task-001")
    .argument(...task)
    .action((id: string | undefined, _options: unknown, command: Command) =>
      end(command, async (context) => (await import("./worker-verbs.ts")).renew(id, context)),
    );

  define(
    "checkpoint",
    "mark progress on a claimed task; it survives a crash, and renews the lease",
    'HARNESS_FENCE=7 harness checkpoint task-001 --step 2 --total 5 "routes done, tests next"',
  )
    .argument("<task>", "the claimed task")
    .argument("<text>", "what is done, in one line")
    .requiredOption("--step <m>", "which step this was", wholeNumber(steps))
    .requiredOption("--total <n>", "of how many", wholeNumber({ ...steps, from: 1 }))
    .action((id: string, text: string, options: CheckpointOptions, command: Command) =>
      end(command, async (context) => (await import("./worker-verbs.ts")).checkpoint(id, text, options, context)),
    );

  define(
    "done",
    "hand a claimed task in: its work is committed, checked by its gates, and merged – or put away",
    "HARNESS_FENCE=7 harness done task-001",
  )
    .argument(...task)
    .action((id: string | undefined, _options: unknown, command: Command) =>
      end(command, async (context) => (await import("./worker-verbs.ts")).done(id, context)),
    );

  define(
    "fail",
    "give a claimed task back as failed; what was done is kept, and the next attempt is told why",
    'HARNESS_FENCE=7 harness fail task-001 --category TASK_EXEC "no access to the registry"',
  )
    .argument("<task>", "the claimed task")
    .argument("<text>", "why, in one line")
    .addOption(new Option("--category <name>", "what kind of failure").choices([...categories]).default("TASK_EXEC"))
    .action((id: string, text: string, options: FailOptions, command: Command) =>
      end(command, async (context) => (await import("./worker-verbs.ts")).fail(id, text, options, context)),
    );

  define(
    "mcp",
    "the tools of an attempt as an MCP server on the standard streams; agents start it",
    "harness mcp",
  ).action((_options: unknown, command: Command) =>
    end(command, async (context) => {
      const { refuse } = await import("./context.ts");
      return refuse(context, "no tools", {
        kind: "usage",
        message: "they are those of an attempt, and this is not in one",
        remedy: "let an agent that a run started call it",
      });
    }),
  );
}
