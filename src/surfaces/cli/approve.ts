// `harness approve`: says yes to a question that holds a task or the mission. For the user only.
import { oneLine } from "../../kit/escape.ts";
import { answerApproval } from "./answer-approval.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

export async function approve(name: string, context: Context): Promise<ExitCode> {
  const granted = await answerApproval({ type: "approval.grant", name }, context);
  if (!granted.ok) return refuse(context, "nothing was approved", granted.failure);
  writeLine(context.stdout, oneLine(`Approved ${name}: ${granted.value.question}`));
  return exitCodes.done;
}
