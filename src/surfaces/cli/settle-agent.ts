// Whether the chosen agent could work, asked before anything is begun – unless its program waits to be accepted itself.
import type { AgentFacts, OpenedMission } from "../../compose.ts";
import { type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Trust } from "../../protocol/input.ts";

const unknown: AgentFacts = { version: null, login: null };

/** What is not accepted is not started either, not even to ask for its version: the run is refused for it (rule T). */
export async function settleAgent(mission: OpenedMission, trust: Trust): Promise<Outcome<AgentFacts>> {
  const waiting = trust.how === "all" ? null : await mission.untrusted();
  const isCovered = waiting === null || (trust.how === "hash" && trust.hash === waiting.hash);
  return isCovered ? mission.checkAgent() : succeeded(unknown);
}
