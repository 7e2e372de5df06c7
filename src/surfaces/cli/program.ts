// The command line: its name, its general flags, and which commands there are.
import { Command } from "commander";
import { defineControlCommands } from "./commands-control.ts";
import { defineIntegrationCommands } from "./commands-integration.ts";
import { defineLookCommands } from "./commands-look.ts";
import { definePlanCommands } from "./commands-plan.ts";
import { defineRunCommands } from "./commands-run.ts";
import { defineWorkerCommands } from "./commands-worker.ts";
import type { Context } from "./context.ts";
import { createDefiner } from "./define.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { configureHelp } from "./help.ts";
import { folder } from "./options.ts";

/** Must be given to `parseAsync`; usage errors and help come out as a CommanderError. */
export function createProgram(world: Omit<Context, "root">, version: string, onEnd: (code: ExitCode) => void): Command {
  const program = new Command("harness")
    .description("Supervises coding agents: gives each task to an agent, checks the work, survives crashes.")
    .version(version, "--version", "print the version")
    .option("--root <dir>", "the project's state root (default: the nearest folder upwards with .harness/)", folder)
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .showHelpAfterError("  next: harness help")
    .configureOutput({ writeOut: (text) => world.stdout.write(text), writeErr: (text) => world.stderr.write(text) })
    .exitOverride();
  configureHelp(program);
  const definer = createDefiner(program, world, onEnd);
  definePlanCommands(definer);
  defineRunCommands(definer);
  defineControlCommands(definer);
  defineIntegrationCommands(definer);
  defineWorkerCommands(definer);
  defineLookCommands(definer, program);
  return program;
}

/** What commander's own ends mean: help and version are no errors. */
export const exitOfUsage = (code: number): ExitCode => (code === 0 ? exitCodes.done : exitCodes.usage);
