// How an iteration left its workspace, for the one that may come after it.
import type { IterationEnd } from "../../protocol/agent.ts";
import type { Stood } from "../../protocol/standing.ts";
import type { PerformingKind } from "./performing.ts";

/**
 * One look, and only where another iteration may follow in the same workspace. A workspace that cannot be looked at is a
 * matter of the next step in it, which will say so: here it is only not known how it was.
 */
export async function whereItStands(
  { effect, ports, state, signal }: PerformingKind<"agent.run">,
  end: IterationEnd,
): Promise<Stood | null> {
  const isLoop = state.tasks.get(effect.task)?.spec.loop !== undefined;
  const mayGoOn = end.reason === "unfinished" || (end.reason === "finished" && isLoop);
  if (!mayGoOn || signal.aborted) return null;
  const seen = await ports.workspaces.inspect({ path: effect.path, base: effect.base, standing: true });
  if (!seen.ok) return null;
  const { tree, standing } = seen.value;
  return { tree, ...(standing !== undefined && { standing }) };
}
