// `harness completion`: a script that makes a shell complete commands and flags, made from the command line itself.
import type { Command, Option } from "commander";
import { bashScript, type FlagWords, fishScript, type Words, zshScript } from "./completion-shells.ts";
import type { Context } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
export type Shell = keyof typeof scripts;

export async function completion(shell: Shell, program: Command, { stdout }: Context): Promise<ExitCode> {
  stdout.write(scripts[shell](wordsOf(program)));
  return exitCodes.done;
}

export function wordsOf(program: Command): Words {
  const names = program.commands.map((command) => command.name());
  return {
    flags: [...program.options.map(flagOf), help],
    commands: program.commands.map((command) => ({
      name: command.name(),
      summary: command.description(),
      flags: [...command.options.map(flagOf), help],
      choices:
        command.name() === "help" ? names : command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    })),
  };
}

/** Commander adds it to every command by itself. */
const help: FlagWords = { names: ["-h", "--help"], summary: "show help", takesValue: false, choices: [] };

const flagOf = ({ short, long, description, required, optional, argChoices }: Option): FlagWords => ({
  names: [short, long].filter((name) => name !== undefined && name !== null),
  summary: description,
  takesValue: required || optional,
  choices: argChoices ?? [],
});
