// How a command of the command line is defined. What it does is loaded only when it is called.
import type { Command } from "commander";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-codes.ts";

export interface Definer {
  /** The examples are shown by its --help. */
  define(name: string, summary: string, ...examples: readonly string[]): Command;
  /** Runs a command's work and keeps its exit code. */
  end(command: Command, work: (context: Context) => Promise<ExitCode>): Promise<void>;
}

export function createDefiner(
  program: Command,
  world: Omit<Context, "root">,
  onEnd: (code: ExitCode) => void,
): Definer {
  return {
    define: (name, summary, ...examples) =>
      program
        .command(name)
        .description(summary)
        .showHelpAfterError(`  next: harness ${name} --help`)
        .addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`),
    end: async (command, work) =>
      onEnd(await work({ ...world, root: command.optsWithGlobals<{ root?: string }>().root })),
  };
}
