// The last handoff of each task, `.harness/tasks/<id>/handoff.json`, and the last of the mission,
// `.harness/state/handoff.json`. Each is written when a handoff comes; one that was taken away comes back with the next.
import { join } from "node:path";
import { writeFileAtomic } from "../../kit/atomic-file.ts";
import { isoTime } from "../../kit/iso-time.ts";
import type { EventOf, Recorded } from "../../protocol/event.ts";
import { handoffFields } from "../../protocol/handoff.ts";
import { decodeEvent } from "../../protocol/upgrade.ts";
import { readRegular } from "./durable-file.ts";
import { plainFolder } from "./plain-folder.ts";
import type { ViewSource } from "./view-source.ts";

type HandedOff = Recorded<EventOf<"agent.handedOff">>;

interface HandoffMark {
  /** So many are shown, and the journal is read on from this position. */
  readonly handoffs: number;
  readonly position: number;
}

export class HandoffView {
  readonly #root: string;
  readonly #markFile: string;
  #shown = 0;

  constructor({ root, home }: { readonly root: string; readonly home: string }) {
    this.#root = root;
    this.#markFile = join(home, "handoffs.json");
  }

  /** Must be called under the lock of the views. `handoffs`: how many there are. After a failure call it again. */
  async advance(source: ViewSource, handoffs: number): Promise<void> {
    if (handoffs === this.#shown) return;
    let { handoffs: shown, position } = await this.#mark();
    const last = new Map<string, HandedOff>();
    let newest: HandedOff | null = null;
    while (shown < handoffs) {
      const stored = await source.read(position, 1_000);
      if (stored.length === 0) break;
      for (const kept of stored) {
        position = kept.position;
        if (kept.type !== "agent.handedOff") continue;
        newest = decodeEvent(kept) as HandedOff;
        last.set(newest.task, newest);
        shown += 1;
      }
    }
    if (newest !== null) {
      for (const [task, handedOff] of last) await this.#write(["tasks", task], handedOff);
      await this.#write(["state"], newest);
      await writeFileAtomic(this.#markFile, `${JSON.stringify({ handoffs: shown, position })}\n`);
    }
    this.#shown = shown;
  }

  async #mark(): Promise<HandoffMark> {
    const text = (await readRegular(this.#markFile))?.text;
    return text === undefined ? { handoffs: 0, position: 0 } : (JSON.parse(text) as HandoffMark);
  }

  async #write(parts: readonly string[], handedOff: HandedOff): Promise<void> {
    const folder = await plainFolder(this.#root, ...parts);
    await writeFileAtomic(join(folder, "handoff.json"), textOf(handedOff), { mode: 0o644 });
  }
}

const textOf = ({ task, attempt, iteration, at, handoff }: HandedOff): string =>
  `${JSON.stringify({ ...handoffFields(handoff), task, attempt, iteration, at: isoTime(at) }, null, 2)}\n`;
