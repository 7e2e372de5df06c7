// Whether a run may go without a sandbox, where the machine has none: said before, or asked now (PR-10).
import { keepConsent, type OpenedMission, reachWithout, type SandboxChoice } from "../../compose.ts";
import { failed, type Outcome } from "../../protocol/failure.ts";
import { asking, canAsk } from "./ask.ts";
import { refusalOfAgent } from "./caller.ts";
import { type Context, writeLine } from "./context.ts";

/** Asks the user, if there is one, and remembers a yes; then tries again. */
export async function settleConsent(
  mission: OpenedMission,
  context: Context,
  mayAsk: boolean,
): Promise<Outcome<SandboxChoice>> {
  const found = await mission.sandbox();
  if (found.ok || found.failure.kind !== "trust") return found;
  const reason = mission.lack();
  const refused = failed({ ...found.failure, remedy: `${found.failure.remedy}; or for this run: --sandbox off` });
  if (!mayAsk || reason === null || !(await agreesToNone(reason, context))) return refused;
  const kept = await keepConsent(context.env, reason);
  return kept.ok ? mission.sandbox() : kept;
}

/** False also where there is nobody to ask: an agent's terminal is nobody's. */
export async function agreesToNone(reason: string, context: Context): Promise<boolean> {
  if (!canAsk(context) || (await refusalOfAgent(context)) !== null) return false;
  writeLine(context.stdout, `There is no sandbox on this machine: ${reason}.\n\n${reachWithout}\n`);
  const question = "Work without a sandbox on this machine, until one can be had or the reason is another?";
  return (await asking(context, ({ confirm }) => confirm(question, false))) === true;
}
