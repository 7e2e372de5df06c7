// Writes the glance. The caller holds the lock of the views. Not synced: a glance of an earlier boot is never used.
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import type { ReadonlyState } from "../../core/state.ts";
import { runOwners, statusView } from "../../core/views/status.ts";
import { statusPage } from "../../core/views/status-page.ts";
import type { FileStamp, Glance } from "../../protocol/glance.ts";
import { bootId, glanceFile, glanceFolder, glanceFormat, glanceTasksFile, sameStamps } from "../glance-file.ts";
import { Pace } from "./pace.ts";
import type { ViewSource } from "./view-source.ts";

/** What is shown of a state. */
export interface Shown {
  readonly position: number;
  readonly view: Glance["view"];
  readonly owners: Glance["owners"];
  /** As `tasks --json` prints them. */
  readonly tasks: string;
}

export class GlanceView {
  readonly #home: string;
  readonly #pace: Pace;
  readonly #boot = bootId();
  /** As it is on disk; undefined before it was looked for. */
  #known: Glance | null | undefined;

  constructor({ home, elapsedMs }: { readonly home: string; readonly elapsedMs: () => number }) {
    this.#home = home;
    this.#pace = new Pace(elapsedMs);
  }

  dueInMs(): number {
    return this.#pace.dueInMs();
  }

  /** What the glance on disk relies on, once it was looked for. */
  get files(): readonly FileStamp[] | null {
    return this.#known?.files ?? null;
  }

  /** The position that need not be projected again, or null. */
  async shownPosition(source: ViewSource): Promise<number | null> {
    this.#known ??= await this.#load(source);
    return this.#known?.head.position ?? null;
  }

  /** `shown` is null for the position that `shownPosition` answered. */
  async write(source: ViewSource, position: number, shown: Shown | null, around: Around): Promise<void> {
    const boot = this.#boot;
    const known = this.#known ?? null;
    if (shown === null) {
      if (known?.head.position === position && !sameStamps(known.files, around.files)) {
        await this.#replace({ ...known, ...around });
      }
      return;
    }
    const hash = await hashAt(source, position);
    if (boot === null || hash === null) return;
    const head = { position, hash };
    await this.#pace.timed(async () => {
      await mkdir(glanceFolder(this.#home), { recursive: true, mode: 0o700 });
      const tasks = await replaceUnsynced(glanceTasksFile(this.#home), shown.tasks);
      const { view, owners } = shown;
      await this.#replace({ format: glanceFormat, head, boot, ...around, view, owners, tasks });
    });
  }

  async #replace(glance: Glance): Promise<void> {
    this.#known = null;
    await replaceUnsynced(glanceFile(this.#home), JSON.stringify(glance));
    this.#known = glance;
  }

  /** Null unless it speaks of this journal and of the tasks beside it. */
  async #load(source: ViewSource): Promise<Glance | null> {
    try {
      const glance = JSON.parse(await readFile(glanceFile(this.#home), "utf8")) as Glance;
      if (glance.format !== glanceFormat || glance.boot !== this.#boot) return null;
      if ((await hashAt(source, glance.head.position)) !== glance.head.hash) return null;
      const { ino, size, mtimeMs } = await stat(glanceTasksFile(this.#home));
      const isWhole = ino === glance.tasks.ino && size === glance.tasks.size && mtimeMs === glance.tasks.mtimeMs;
      return isWhole ? glance : null;
    } catch {
      // Not there or not readable: it is written anew.
      return null;
    }
  }
}

const hashAt = async (source: ViewSource, position: number): Promise<string | null> =>
  (await source.read(position - 1, 1))[0]?.hash ?? null;

/** What is around the state: the log, and the files the glance relies on. */
export interface Around {
  readonly log: string[];
  readonly files: FileStamp[];
}

/** Null when there is no mission to show. */
export function shownOf(state: ReadonlyState): Shown | null {
  const view = statusView(state);
  if (view === null) return null;
  const tasks = `${JSON.stringify(view.tasks, null, 2)}\n`;
  return {
    position: state.position,
    view: { ...view, tasks: [...statusPage(view.tasks)] },
    owners: [...runOwners(state)],
    tasks,
  };
}

/** Answers by what the new file is recognised. */
async function replaceUnsynced(path: string, text: string): Promise<Glance["tasks"]> {
  const temporary = `${path}.tmp`;
  await writeFile(temporary, text, { mode: 0o600 });
  const { ino, size, mtimeMs } = await stat(temporary);
  await rename(temporary, path);
  return { ino, size, mtimeMs };
}
