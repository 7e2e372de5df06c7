// Facts about agents that cannot serve for a while.
import type { EventOf, Recorded } from "../../protocol/event.ts";
import type { State } from "../state.ts";

type WaitEvent = Recorded<EventOf<"wait.started" | "wait.ended" | "wait.cleared">>;

export function evolveWait({ waits }: State, event: WaitEvent): void {
  switch (event.type) {
    case "wait.started": {
      const { agent, kind, message, until, delayMs, times, waitedMs, quiet } = event;
      const counts = { ...waits.get(agent)?.counts, [kind]: { times, waitedMs } };
      const told = { agent, kind, message, until, delayMs, times, waitedMs, ...(quiet && { quiet }) };
      waits.set(agent, { ...told, on: true, counts });
      return;
    }
    case "wait.ended": {
      const wait = waits.get(event.agent);
      if (wait !== undefined) wait.on = false;
      return;
    }
    case "wait.cleared":
      waits.delete(event.agent);
      return;
  }
}
