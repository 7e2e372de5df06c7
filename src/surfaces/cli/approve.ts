// `harness approve`: says yes to a question that holds a task or the mission. For the user only.
import { oneLine } from "../../kit/escape.ts";
import { answerApproval } from "./answer-approval.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

export interface ApproveOptions {
  readonly note?: string;
}

export async function approve(name: string, options: ApproveOptions, context: Context): Promise<ExitCode> {
  const granted = await answerApproval({ type: "approval.grant", name, ...options }, context);
  if (!granted.ok) return refuse(context, "nothing was approved", granted.failure);
  writeLine(context.stdout, oneLine(`Approved ${name}: ${granted.value.question}`));
  return exitCodes.done;
}
