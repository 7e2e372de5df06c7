// A project and its state home in real directories, with a journal in memory that several "processes" share.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyState } from "../../core/empty-state.ts";
import { fold } from "../../core/evolve/evolve.ts";
import type { ReadonlyState } from "../../core/state.ts";
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";
import { Limits, TaskSpec } from "../../protocol/task.ts";
import { decodeEvent, encodeEvent } from "../../protocol/upgrade.ts";
import { MemoryJournal, openMemoryStore } from "../../stores/memory/index.ts";
import type { Store } from "../../stores/store.ts";
import { createPublisher, type Publisher, type PublisherOptions } from "./publisher.ts";
import type { ViewSource } from "./view-source.ts";

export const owner = { host: "h", bootId: "b", pid: 7, group: 7, startTime: "1" };
export const commit = "a".repeat(40);

export const created: Event = {
  type: "mission.created",
  mission: "m-1",
  branch: "harness/m-1",
  root: "/p",
  limits: Limits.parse({}),
  concurrency: "exclusive",
};
export const added = (id: string, title = `Title of ${id}`): Event => ({
  type: "task.added",
  spec: TaskSpec.parse({ id, title, validation: { command: "true" } }),
});
export const runStarted = (run = "r-1"): Event => ({
  type: "run.started",
  run,
  owner,
  lanes: 1,
  initScript: false,
  worker: null,
  claims: null,
  leaseSeconds: null,
});
export const runEnded = (run = "r-1"): Event => ({ type: "run.ended", run, reason: "completed", detail: "" });
export const claimed = (task: string, attempt = 1): Event => ({
  type: "task.claimed",
  task,
  attempt,
  lane: 0,
  fence: 1,
});
export const opening = (task: string, run = "r-1"): Event => ({
  type: "effect.requested",
  effect: {
    id: `${task}/1/1/workspace.open`,
    task,
    attempt: 1,
    lane: 0,
    run,
    fence: 1,
    kind: "workspace.open",
    resume: null,
  },
});
export const opened = (task: string): Event => ({ type: "attempt.opened", task, attempt: 1, path: "/w", base: commit });
export const completed = (task: string): Event => ({ type: "task.completed", task, attempt: 1, commit });
export const failed = (task: string, final: boolean): Event => ({ type: "task.failed", task, attempt: 1, final });
export const paused = (by: string): Event => ({ type: "mission.paused", by });
const stats = { total: 1, completed: 1, failed: 0, pending: 0, blocked: 0, inProgress: 0, attempts: 1, checkpoints: 0 };
export const sessionEnded = (session: number): Event => ({ type: "session.ended", session, stats });

export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), "harness-views-"));
  readonly root = join(this.folder, "project");
  readonly home = join(this.folder, "home");
  readonly journal = new MemoryJournal();
  readonly troubles: Failure[] = [];
  /** Never set. */
  readonly elapsedMs = () => this.now;
  now = 1_000;
  #commands = 0;

  constructor() {
    mkdirSync(join(this.root, ".harness"), { recursive: true });
    mkdirSync(this.home);
  }

  /** One transaction per call; each event at a moment of its own. */
  async append(...events: readonly Event[]): Promise<void> {
    this.#commands += 1;
    const first = this.journal.head.position + 1;
    await openMemoryStore(this.journal).transact({
      after: first - 1,
      commandId: `c-${this.#commands}`,
      decide: () => ({ events: events.map((event, n) => encodeEvent(event, first + n)), runs: [] }),
    });
  }

  source(): ViewSource {
    return sourceOf(openMemoryStore(this.journal));
  }

  publisher(parts: Partial<PublisherOptions> = {}): Publisher {
    return createPublisher({
      root: this.root,
      home: this.home,
      source: this.source(),
      elapsedMs: this.elapsedMs,
      processes: { self: async () => owner, isAlive: async () => true },
      render: renderPlan,
      onTrouble: (failure) => this.troubles.push(failure),
      later: () => () => undefined,
      ...parts,
    });
  }

  path(name: string): string {
    return join(this.root, name);
  }
  text(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }
  json(name: string): unknown {
    return JSON.parse(this.text(name));
  }
  /** Lines of the log without their times. */
  log(): string[] {
    const text = this.text("harness-progress.txt");
    return text.split("\n").map((line) => line.replace(/^\[[^\]]*\] /, ""));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A process' own fold of the journal. */
export function sourceOf(store: Store): ViewSource {
  const state = emptyState();
  return {
    async look(use) {
      fold(
        state,
        (await store.read(state.position, 100_000)).map((stored) => decodeEvent(stored)),
      );
      return use(state);
    },
    read: (after, limit) => store.read(after, limit),
  };
}

export const renderPlan = (state: ReadonlyState): string => {
  const tasks = [...state.tasks.values()].map(({ spec, phase }) => ({ id: spec.id, status: phase.status }));
  return `${JSON.stringify({ tasks })}\n`;
};
