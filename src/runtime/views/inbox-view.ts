// The inbox: findings of agents as files in `.harness/search_results/`, each written once. What becomes of a file then –
// moved, changed, deleted – is the user's; it does not come back.
import { join } from "node:path";
import { writeFileAtomic } from "../../kit/atomic-file.ts";
import { oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import type { EventOf, Recorded } from "../../protocol/event.ts";
import { decodeEvent } from "../../protocol/upgrade.ts";
import { codeOf, readRegular } from "./durable-file.ts";
import { plainFolder } from "./plain-folder.ts";
import type { ViewSource } from "./view-source.ts";

type Finding = Recorded<EventOf<"agent.found">>;

export const inboxFolder = (root: string): string => join(root, ".harness", "search_results");

interface InboxMark {
  /** All findings up to this one are files, and the journal is read on from this position. */
  readonly findings: number;
  readonly position: number;
}

export class InboxView {
  readonly #root: string;
  readonly #markFile: string;
  #written = 0;

  constructor({ root, home }: { readonly root: string; readonly home: string }) {
    this.#root = root;
    this.#markFile = join(home, "inbox.json");
  }

  /** Must be called under the lock of the views. `findings`: how many there are. After a failure call it again. */
  async advance(source: ViewSource, findings: number): Promise<void> {
    if (findings === this.#written) return;
    let { findings: written, position } = await this.#mark();
    while (written < findings) {
      const stored = await source.read(position, 1_000);
      if (stored.length === 0) break;
      for (const kept of stored) {
        position = kept.position;
        if (kept.type !== "agent.found") continue;
        const finding = decodeEvent(kept) as Finding;
        if (finding.number <= written) continue;
        await this.#write(finding);
        written = finding.number;
      }
    }
    await writeFileAtomic(this.#markFile, `${JSON.stringify({ findings: written, position })}\n`);
    this.#written = written;
  }

  async #mark(): Promise<InboxMark> {
    const text = (await readRegular(this.#markFile))?.text;
    return text === undefined ? { findings: 0, position: 0 } : (JSON.parse(text) as InboxMark);
  }

  async #write(finding: Finding): Promise<void> {
    const folder = await plainFolder(this.#root, "search_results");
    await writeFileAtomic(join(folder, fileName(finding)), fileText(finding), { mode: 0o644, onlyNew: true }).catch(
      (error: unknown) => {
        // Written by one that died before it noted so.
        if (codeOf(error) !== "EEXIST") throw error;
      },
    );
  }
}

/** Of letters, digits and dashes, whatever the title holds; in the order of time, and the same whenever it is made. */
export function fileName({ at, number, task, title }: Finding): string {
  const time = isoTime(at).replaceAll(/[-:]|\..*$/g, "");
  const words = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, "");
  return `${[time, String(number).padStart(3, "0"), task, words || "finding"].join("-")}.md`;
}

const fileText = ({ at, task, attempt, title, text }: Finding): string =>
  `# ${oneLine(title)}\n\nFound by the agent of ${task}, attempt ${attempt}, ${isoTime(at)}. Nobody has checked it.\n\n${text}\n`;
