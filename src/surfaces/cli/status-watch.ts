// The status, redrawn in place after every change, until somebody asks it to stop.
import type { Outcome } from "../../protocol/failure.ts";
import type { Mission } from "../../runtime/mission.ts";
import type { Context } from "./context.ts";
import { createLiveBlock } from "./live-block.ts";
import { type Status, statusLines } from "./status-text.ts";
import { catchStopSignals } from "./stop-signals.ts";

type Read = () => Promise<Outcome<Status>>;

/** The answer is the last status, to be left on the screen. */
export async function watchStatus(mission: Mission, first: Status, read: Read, { stdout }: Context): Promise<Status> {
  const block = createLiveBlock(stdout);
  const stop = catchStopSignals(() => undefined);
  let shown = first;
  const draw = () => block.draw(statusLines(shown, Math.max(1, (stdout.rows || 24) - 1)).map((text) => ({ text })));
  const look = async () => {
    const seen = await read();
    if (seen.ok) shown = seen.value;
    draw();
  };
  // A run that is killed tells nobody: its process must be looked for. Trouble with the journal is met, and told, below.
  const everySecond = setInterval(() => void look().catch(() => undefined), 1_000);
  stdout.on("resize", draw);
  draw();
  try {
    for await (const { position } of mission.events(mission.state().position, stop.signal)) {
      // One look shows all that has happened until then.
      if (position > mission.state().position) await look();
    }
  } finally {
    clearInterval(everySecond);
    stdout.off("resize", draw);
    stop.release();
    block.close();
  }
  return shown;
}
