// `harness help`: the few commands that most people need; `--all` shows the rest.
import { type Command, Help } from "commander";
import type { Failure } from "../../protocol/failure.ts";
import { type Context, refuse } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

export interface HelpOptions {
  readonly all?: true;
}

const main = ["init", "loop", "run", "status", "accept", "add", "logs", "demo", "help"];

/** Only what is shown is cut: a mistyped command is compared with all of them. */
export function configureHelp(program: Command): void {
  const formatHelp = (command: Command, helper: Help): string => {
    if (command !== program) return formatAll(command, helper);
    const all = helper.visibleCommands(program);
    helper.visibleCommands = () => main.flatMap((name) => all.filter((one) => one.name() === name));
    return `${formatAll(program, helper)}\nAll commands: harness help --all\n`;
  };
  program.configureHelp({ formatHelp });
}

const formatAll = (command: Command, helper: Help): string => Help.prototype.formatHelp.call(helper, command, helper);

export async function help(
  names: readonly string[],
  { all }: HelpOptions,
  program: Command,
  context: Context,
): Promise<ExitCode> {
  if (all) {
    const helper = program.createHelp();
    helper.prepareContext({ helpWidth: context.stdout.columns ?? 80 });
    context.stdout.write(formatAll(program, helper));
    return exitCodes.done;
  }
  let shown: Command | undefined = program;
  for (const name of names) if (!isVerbOf(shown, name)) shown = shown?.commands.find((one) => one.name() === name);
  if (shown === undefined) return refuse(context, "no help", unknown(names.join(" ")));
  shown.outputHelp();
  return exitCodes.done;
}

/** `harness help rescue restore`: the help of a command tells of its verbs, too. */
const isVerbOf = (command: Command | undefined, word: string): boolean =>
  command?.registeredArguments[0]?.argChoices?.includes(word) === true;

const unknown = (name: string): Failure => ({
  kind: "usage",
  message: `there is no command "${name}"`,
  remedy: "harness help --all",
});
