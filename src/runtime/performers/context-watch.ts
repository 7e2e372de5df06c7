// Watches how full an agent's context is, and tells the agent (rule I6).
import { afterAsking, handOverText, noRoom, roomIn } from "../../core/context-watch.ts";
import type { Cut } from "../../core/repeats.ts";
import type { ReadonlyTask } from "../../core/state.ts";
import type { Words } from "../../drivers/driver.ts";
import type { Context } from "../../protocol/account.ts";
import type { IterationEnd } from "../../protocol/agent.ts";
import type { Left } from "../../protocol/left.ts";

export interface ContextWatch {
  /** Why it is to be ended; null: it may go on. */
  see(context: Context): Cut | null;
  /** It told something to whoever goes on. */
  handedOver(): void;
  hasHandedOver(): boolean;
  end(end: IterationEnd, left: Left, task: ReadonlyTask | undefined): IterationEnd;
}

export function watchContext(say: (text: string) => void, hasTools: boolean): ContextWatch {
  let asked: Context | null = null;
  let hasHandedOver = false;
  return {
    see(context) {
      const room = roomIn(context);
      if (room === "none") return noRoom(context);
      if (room === "little" && asked === null) {
        asked = context;
        say(handOverText(hasTools));
      }
      return null;
    },
    handedOver() {
      hasHandedOver = true;
    },
    hasHandedOver: () => hasHandedOver,
    end(end, { handoff }, task) {
      const isNew = handoff !== null && !task?.collected.includes(handoff.hash);
      if (asked === null || !(hasHandedOver || isNew)) return end;
      return afterAsking(end, asked, { isLoop: task?.spec.loop !== undefined });
    },
  };
}

/** What is said before anybody listens is not lost. */
export function createWords(folder: Pick<Words, "folder" | "seenAt">): Words & { say(text: string): void } {
  const said: string[] = [];
  const listeners: ((text: string) => void)[] = [];
  return {
    ...folder,
    say(text) {
      said.push(text);
      for (const listener of listeners) listener(text);
    },
    listen(listener) {
      listeners.push(listener);
      for (const text of said) listener(text);
    },
  };
}
