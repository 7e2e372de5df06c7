// The last lines of the log as every surface shows them: those that were kept, and what followed. Writes nothing, and
// how long the journal is does not matter.
import type { Mission, Placed } from "../mission.ts";
import { logMarkFile, markFile } from "./log-mark.ts";
import { render } from "./log-view.ts";

/** Null when the lines were not kept, or not of this journal: project them from the journal instead. */
export async function recentLog(
  home: string,
  mission: Pick<Mission, "refresh" | "events">,
): Promise<readonly string[] | null> {
  // Damaged or not readable: whoever writes the log next says so.
  const mark = await markFile(logMarkFile(home))
    .load()
    .catch(() => null);
  const state = await mission.refresh();
  if (mark === null || mark.position > state.position) return null;
  const followed: Placed[] = [];
  for await (const placed of mission.events(mark.position, AbortSignal.abort())) {
    if (placed.position <= state.position) followed.push(placed);
  }
  return render(mark, followed, state).next.recent;
}
