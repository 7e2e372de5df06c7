// Commands that do the work.
import { type Command, Option } from "commander";
import { Integration } from "../../protocol/integration.ts";
import { SandboxMode } from "../../protocol/sandbox.ts";
import type { Definer } from "./define.ts";
import type { DemoOptions } from "./demo.ts";
import type { LoopOptions } from "./loop-options.ts";
import { outputPaths, positiveAmount, variablePatterns, wholeNumber } from "./options.ts";
import type { RunOptions } from "./run.ts";

const iterationRange = { from: 1, to: 10_000, counts: "agent sessions with a fresh context" };
const timeoutRange = { from: 1, to: 86_400, counts: "seconds" };
const tokenRange = { from: 1, to: 1e15, counts: "tokens, those of the prompt and those read from a cache included" };
const laneRange = { from: 1, to: 100, counts: "how many tasks are worked on at once" };

export function defineRunCommands({ define, end }: Definer): void {
  define(
    "run",
    "work on the plan until nothing is left to do; continues where an earlier run stopped",
    "harness run --agent claude-code",
    "harness run --agent-command 'my-agent --headless'",
    "harness run --lanes 4 --agent-command 'sh agent.sh'",
    "harness run --once --agent-command 'sh agent.sh'",
    "harness run --agent-command 'sh agent.sh' --trust 0123456789abcdef",
  )
    .option("--lanes <n>", "tasks worked on at once (default: 1, or as configured)", wholeNumber(laneRange))
    .addOption(new Option("--agent <name>", "who does the work").choices(["claude-code", "command", "scripted"]))
    .option("--agent-command <command>", "shell command of the agent; it reads its task from standard input")
    .option("--agent-env <names>", "variables of yours the agent is given: ANTHROPIC_API_KEY,AWS_*", variablePatterns)
    .option("--agent-script <file>", "what the scripted agent does (JSON)")
    .option("--trust <hash>", "the project's own commands, as a run without it showed them, may run")
    .addOption(new Option("--trust-all", "whatever commands came with the project may run").conflicts("trust"))
    .option(
      "--max-cost-usd <dollars>",
      "most the mission may cost in all, what it has cost included; exit code 6",
      positiveAmount("US dollars", 1_000_000),
    )
    .option("--max-tokens <n>", "most tokens it may use in all", wholeNumber(tokenRange))
    .option("--max-minutes <minutes>", "how long its runs may be on in all", positiveAmount("minutes", 5_256_000))
    .option("--once", "one batch, as many tasks as there are lanes; exit code 5 when more is left")
    .addOption(
      new Option("--integration <mode>", "where finished work goes (default: branch, or as configured)").choices(
        Integration.options,
      ),
    )
    .addOption(
      new Option("--workspace <kind>", "where agents work (default: clone, or as the mission has it)").choices([
        "clone",
        "worktree",
        "in-place",
      ]),
    )
    .addOption(
      new Option("--sandbox <mode>", "what keeps agents in their workspace (default: auto, or as configured)").choices(
        SandboxMode.options,
      ),
    )
    .option("--with-changes", "in place: what is not committed becomes part of the work; without it that is refused")
    .option("--background", "go on without this terminal: .harness/worker.log, .harness/worker.pid")
    .option("--json", "print one JSON object at the end; progress goes to standard error")
    .action((options: RunOptions, command: Command) =>
      end(command, async (context) => (await import("./run.ts")).run(options, context)),
    );

  define(
    "loop",
    'work on one objective until its promise is kept; the same as: harness "what to do"',
    'harness "make the flaky tests in api/ pass"',
    'harness loop "port the parser to TypeScript" --validate "npm test" --max-iterations 20',
    'harness loop "add OAuth login" --phases standard',
    "harness loop --file PROMPT.md --yes --agent-command 'sh agent.sh'",
    "harness loop --resume --max-iterations 20 --agent claude-code",
  )
    .argument("[objective]", "what is to be done, in words")
    .option("-f, --file <file>", "the objective is the text of this file")
    .option("--max-iterations <n>", "agent sessions at most (default: 10)", wholeNumber(iterationRange))
    .option(
      "--completion-promise <words>",
      "the words by which the agent says that it is done (default: TASK_COMPLETE)",
    )
    .option("--validate <command>", "the command that checks the work (default: as configured, or as found)")
    .option("--timeout <seconds>", "how long that may take (default: 300)", wholeNumber(timeoutRange))
    .option(
      "--phases <names>",
      "phases it goes through: standard, product, off, or names: a,b (default: as configured)",
    )
    .option("--output <file>", "file that the work must hold, well-formed; a pattern or again for more", outputPaths)
    .addOption(new Option("--agent <name>", "who does the work").choices(["claude-code", "command", "scripted"]))
    .option("--agent-command <command>", "shell command of the agent; it reads its task from standard input")
    .option("--agent-env <names>", "variables of yours the agent is given: ANTHROPIC_API_KEY,AWS_*", variablePatterns)
    .option("--agent-script <file>", "what the scripted agent does (JSON)")
    .addOption(
      new Option("--sandbox <mode>", "what keeps agents in their workspace (default: auto, or as configured)").choices(
        SandboxMode.options,
      ),
    )
    .option(
      "--max-cost-usd <dollars>",
      "most it may cost (default: as configured, or no cap); exit code 6",
      positiveAmount("US dollars", 1_000_000),
    )
    .option("--max-tokens <n>", "most tokens it may use", wholeNumber(tokenRange))
    .option("--max-minutes <minutes>", "how long it may take, waiting included", positiveAmount("minutes", 5_256_000))
    .option(
      "--resume",
      "go on with a loop that was stopped, counters included; other limits and promises replace its own",
    )
    .addOption(new Option("--run-id <id>", "which one: a run of it (harness runs); the last loop, if not given"))
    .option("--with-changes", "work in this checkout itself: what is not committed becomes part of the work")
    .option("--background", "go on without this terminal; with --yes: .harness/worker.log, .harness/worker.pid")
    .option("--yes", "start without questions, and leave the work for later")
    .action((objective: string | undefined, options: LoopOptions, command: Command) =>
      end(command, async (context) => (await import("./loop.ts")).loop(objective, options, context)),
    );

  define(
    "demo",
    "show it all on a throw-away project: no key, no network, about ten seconds",
    "harness demo",
    "harness demo --keep",
  )
    .option("--keep", "keep the throw-away project and say where it is")
    .action((options: DemoOptions, command: Command) =>
      end(command, async (context) => (await import("./demo.ts")).demo(options, context)),
    );
}
