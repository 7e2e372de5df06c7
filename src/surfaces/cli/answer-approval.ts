// Answers to a question that waits for a person; only the user gives them.
import { oneLine } from "../../kit/escape.ts";
import type { Recorded } from "../../protocol/event.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Command } from "../../protocol/input.ts";
import { callerText, refusalOfAgent } from "./caller.ts";
import type { Context } from "./context.ts";
import { type MissionState, withMission } from "./mission-access.ts";

export interface Answered {
  readonly question: string;
  readonly events: readonly Recorded[];
}
type Answer = Extract<Command, { type: "approval.grant" | "approval.deny" }>;

export async function answerApproval(answer: Answer, context: Context): Promise<Outcome<Answered>> {
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return failed(forbidden);
  return withMission(context, async (mission) => {
    const before = mission.state();
    const question = before.approvals.get(answer.name)?.question ?? "";
    const done = await mission.submit({ ...answer, by: callerText(context.env) });
    return done.ok ? succeeded({ question, events: done.value }) : failed(withOpen(done.failure, mission.state()));
  });
}

/** Whoever mistyped a name sees those that would do. */
function withOpen(failure: Failure, { approvals }: MissionState): Failure {
  const open = [...approvals.keys()].map((name) => oneLine(name, 80)).slice(0, 10);
  return { ...failure, remedy: open.length === 0 ? "nothing waits for an answer" : `waiting: ${open.join(", ")}` };
}
