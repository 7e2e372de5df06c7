// Brings every view up to the journal's head. Many processes do so; one at a time writes.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ReadonlyState } from "../../core/state.ts";
import { type Lookout, takeLock } from "../../kit/process-lock.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { FileStamp } from "../../protocol/glance.ts";
import { stampOf } from "../glance-file.ts";
import { tasksFile } from "../place.ts";
import { GlanceView, shownOf } from "./glance-view.ts";
import { HandoffView } from "./handoff-view.ts";
import { renderHook, writeHook } from "./hook-view.ts";
import { InboxView } from "./inbox-view.ts";
import { LogView } from "./log-view.ts";
import { isWorkLeft, placeMarker } from "./marker.ts";
import { type BeforeReplace, TasksView } from "./tasks-view.ts";
import { Troubles } from "./trouble.ts";
import type { ViewSource } from "./view-source.ts";

export interface PublisherOptions {
  readonly root: string;
  readonly home: string;
  readonly source: ViewSource;
  readonly elapsedMs?: () => number;
  readonly processes: Lookout;
  /** The text of harness-tasks.json. */
  readonly render: (state: ReadonlyState) => string;
  /** Told once per view and kind of trouble, and again only after the view was well in between. */
  readonly onTrouble: (failure: Failure) => void;
  /** Files that the glance relies on (runtime/glance-file.ts); without them there is no glance. */
  readonly watched?: readonly string[];
  /** Takes up what somebody wrote into the tasks file, before it is replaced (F6). */
  readonly importEdits?: () => Promise<void>;
  readonly beforeReplace?: BeforeReplace;
  /** Between two looks at whose turn it is. */
  readonly retryMs?: number;
  /** Calls `work` after `ms`, unless it is called off; must not keep the process alive. */
  readonly later?: (ms: number, work: () => void) => () => void;
}

/** No method ever rejects: what goes wrong is told to `onTrouble`, and the next call tries again. */
export interface Publisher {
  /** After every commit of this process and after events of others. Need not be waited for. */
  publish(): Promise<void>;
  /** The same, with the tasks file however recently it was written: before an agent starts, when a session ends. */
  flush(): Promise<void>;
  /** Flushes a last time. */
  close(): Promise<void>;
}

/** Looks at a lock that one process keeps: two seconds. */
const patience = 80;
/** In all, while it goes from one to another: many may wait for their turn, and nothing says who is next. */
const mostLooks = 10 * patience;

export const createPublisher = (options: PublisherOptions): Publisher => new ViewPublisher(options);

class ViewPublisher implements Publisher {
  readonly #options: PublisherOptions;
  readonly #log: LogView;
  readonly #tasks: TasksView;
  readonly #inbox: InboxView;
  readonly #handoffs: HandoffView;
  readonly #glance: GlanceView;
  readonly #troubles: Troubles;
  readonly #lookout: Lookout;
  #wanted: "nothing" | "usual" | "all" = "nothing";
  #working: Promise<void> | null = null;
  #callOff: (() => void) | null = null;
  #stats: string | null = null;
  #hook = "";
  #closed = false;

  constructor(options: PublisherOptions) {
    const { processes } = options;
    this.#options = options;
    this.#log = new LogView(options);
    this.#tasks = new TasksView(options);
    this.#inbox = new InboxView(options);
    this.#handoffs = new HandoffView(options);
    this.#glance = new GlanceView({ elapsedMs: () => performance.now(), ...options });
    this.#troubles = new Troubles(options.onTrouble);
    let self: ReturnType<Lookout["self"]> | undefined;
    const askOnce = () => {
      self ??= processes.self();
      return self;
    };
    this.#lookout = { self: askOnce, isAlive: (identity) => processes.isAlive(identity) };
  }

  publish(): Promise<void> {
    return this.#want("usual");
  }

  flush(): Promise<void> {
    return this.#want("all");
  }

  async close(): Promise<void> {
    await this.flush();
    this.#closed = true;
    this.#callOff?.();
    await this.#working;
  }

  #want(what: "usual" | "all"): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (this.#wanted !== "all") this.#wanted = what;
    this.#working ??= this.#work();
    return this.#working;
  }

  async #work(): Promise<void> {
    // What is asked for in this turn is one piece of work.
    await null;
    while (this.#wanted !== "nothing") {
      const all = this.#wanted === "all";
      this.#wanted = "nothing";
      const isBehind = await this.#troubles.guard("the views", async () => {
        const position = await this.#inTurn(() => this.#show(all));
        // Who found the lock taken relies on this look after its release: its commit came before.
        return (await this.#options.source.read(position, 1)).length > 0;
      });
      if (isBehind === true && this.#wanted === "nothing") this.#wanted = "usual";
    }
    // In the same step as the last look at what is wanted: nothing may be asked for in between.
    this.#working = null;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const path = join(this.#options.home, "views.lock");
    let [looks, looksAtOne, before] = [0, 0, ""];
    for (;;) {
      const lock = await takeLock(path, this.#lookout);
      if (lock.ok) {
        try {
          return await work();
        } finally {
          await lock.release();
        }
      }
      const who = lock.holder === null ? "other processes" : `process ${lock.holder.pid} on ${lock.holder.host}`;
      looks += 1;
      looksAtOne = who === before ? looksAtOne + 1 : 1;
      before = who;
      if (looksAtOne > patience || looks > mostLooks) throw new Error(`they are still being written by ${who}`);
      await pause(this.#options.retryMs ?? 25);
    }
  }

  /** Answers the position that is shown now. */
  async #show(all: boolean): Promise<number> {
    const { root, source, render, watched = [] } = this.#options;
    const isDue = all || this.#tasks.dueInMs() === 0;
    // First: what an edit asks for has its line in the log too.
    if (isDue) await this.#troubles.guard("edits of harness-tasks.json", async () => this.#options.importEdits?.());
    const mark = await this.#troubles.guard("harness-progress.txt", () => this.#log.advance(source));
    if (mark !== null) this.#stats = mark.stats;
    const isGlanceDue = isDue && watched.length > 0 && (all || this.#glance.dueInMs() === 0);
    const glanced = isGlanceDue ? await this.#glance.shownPosition(source) : null;
    const [, size, mtimeMs] = this.#glance.files?.find(([path]) => path === tasksFile(root)) ?? [];
    if (glanced !== null && size && mtimeMs) await this.#tasks.recall({ size, mtimeMs }, glanced);
    const shown = isDue ? await this.#tasks.shownPosition() : null;
    const now = await source.look((state) => ({
      position: state.position,
      findings: state.told.findings,
      handoffs: state.told.handoffs,
      // Without a mission there is nothing to show, but maybe a plan that is still to be adopted.
      tasks: isDue && state.mission !== null && state.position !== shown ? render(state) : null,
      hook: renderHook(state, this.#stats),
      marker: isWorkLeft(state) ? (state.mission?.id ?? null) : null,
      glance: isGlanceDue && state.position !== glanced ? shownOf(state) : null,
    }));
    const { tasks } = now;
    if (!isDue || (watched.length > 0 && !isGlanceDue)) this.#showRestLater();
    if (tasks !== null) {
      await this.#troubles.guard("harness-tasks.json", () => this.#tasks.write(tasks, now.position));
    }
    await this.#troubles.guard(".harness/hook.json", async () => {
      const text = now.hook(this.#tasks.stamp);
      if (text !== this.#hook) await writeHook(root, text);
      this.#hook = text;
    });
    await this.#troubles.guard(".harness/search_results", () => this.#inbox.advance(source, now.findings));
    await this.#troubles.guard(".harness/state/handoff.json", () => this.#handoffs.advance(source, now.handoffs));
    await this.#troubles.guard(".harness-active", () => placeMarker(root, now.marker));
    const log = mark?.position === now.position ? mark.recent : null;
    if (isGlanceDue && log !== null) {
      await this.#troubles.guard("the glance in the state home", () => {
        const around = { log: [...log], files: watched.map((path) => this.#stampOf(path)) };
        return this.#glance.write(source, now.position, now.glance, around);
      });
    }
    return now.position;
  }

  /** Of the tasks file what we know of it: an edit that came meanwhile must not look like ours. */
  #stampOf(path: string): FileStamp {
    if (path !== tasksFile(this.#options.root)) return stampOf(path);
    const { size, mtimeMs } = this.#tasks.stamp ?? neverSeen;
    return [path, size, mtimeMs];
  }

  #showRestLater(): void {
    if (this.#callOff !== null) return;
    const { later = unheld } = this.#options;
    this.#callOff = later(Math.max(this.#tasks.dueInMs(), this.#glance.dueInMs()), () => {
      this.#callOff = null;
      void this.publish();
    });
  }
}

/** Of no file at all. */
const neverSeen = { size: -1, mtimeMs: -1 };

/** A view that was not written in time is written by the flush at the end. */
function unheld(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}
