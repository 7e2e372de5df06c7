// `harness deny`: says no; the task that was held is given up, a held mission takes no new work. For the user only.
import { oneLine } from "../../kit/escape.ts";
import { answerApproval } from "./answer-approval.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

export interface DenyOptions {
  readonly note?: string;
}

export async function deny(name: string, { note = "" }: DenyOptions, context: Context): Promise<ExitCode> {
  const denied = await answerApproval({ type: "approval.deny", name, note }, context);
  if (!denied.ok) return refuse(context, "nothing was denied", denied.failure);
  const given = denied.value.events.flatMap((event) => (event.type === "task.abandoned" ? [event.task] : []));
  const rest = given.length === 0 ? "" : ` – ${given.join(", ")} is given up`;
  writeLine(context.stdout, oneLine(`Denied ${name}: ${denied.value.question}${rest}`));
  return exitCodes.done;
}
