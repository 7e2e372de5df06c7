// What becomes of an attempt whose agent was lost: the recovery table, put into events (rules V1, V2).
import { assertNever } from "../../kit/assert-never.ts";
import type { Event } from "../../protocol/event.ts";
import { filesText } from "../conflict-text.ts";
import { type Lost, recoveryRow, recoveryTable } from "../recovery.ts";
import { decideLeft } from "./left.ts";
import { commit, iterateAgain } from "./next-step.ts";
import { repairAgain } from "./repair.ts";
import { failAttempt } from "./settle.ts";
import { after, type Turn } from "./turn.ts";

const conflictLeft = ({ attempt, effect }: Turn): string =>
  `the conflict of ${effect.task} was not repaired: ${attempt.conflict === null ? "" : filesText(attempt.conflict)}`;

export function recover(turn: Turn, seen: Lost): readonly Event[] {
  const { state, task, attempt, effect } = turn;
  const row = recoveryRow(task, attempt, seen, state.mission?.limits.maxFreeInterruptions ?? 0);
  const { next, action, reason } = recoveryTable[row];
  const recovered: Event = {
    type: "attempt.recovered",
    task: effect.task,
    attempt: effect.attempt,
    row,
    action,
    reason,
    tree: seen.tree,
    ...(seen.account !== undefined && { account: seen.account }),
  };
  const told = [recovered, ...decideLeft(turn, seen.left)];
  const lost = { kind: "session_timeout", message: "No progress detected", evidence: reason } as const;
  switch (next) {
    case "validate":
      return [...told, commit(turn)];
    case "resume":
      return [...told, ...iterateAgain(after(turn, recovered))];
    case "repair":
      return [...told, ...repairAgain(turn, { ...lost, kind: "unresolved", message: conflictLeft(turn) })];
    case "return":
      return [
        ...told,
        ...failAttempt(turn, { ...lost, message: "Interrupted before the agent did anything" }, "interruption"),
      ];
    case "fail":
      return [...told, ...failAttempt(turn, lost)];
    default:
      return assertNever(next);
  }
}
