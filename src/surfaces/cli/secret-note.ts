// Commands are kept as they were given, for they are run as they were accepted: a secret in one would be kept with it.
import { createUserRedactor } from "../../kit/known-secrets.ts";
import type { TaskSpec } from "../../protocol/task.ts";
import { type Context, writeLine } from "./context.ts";

export function warnOfSecrets(
  { id, validation, cleanup }: Pick<TaskSpec, "id" | "validation" | "cleanup">,
  { stderr, env }: Context,
): void {
  const { redact } = createUserRedactor(env);
  const commands = [validation?.command, validation?.quick, cleanup];
  if (commands.every((command) => command == null || redact(command) === command)) return;
  writeLine(
    stderr,
    `note: a command of ${id} holds what looks like a secret, and is kept in the plan as it is; name a variable in its place and pass that on (env.pass in your configuration), then: harness edit ${id}`,
  );
}
