// Performs the effects that one run owns, as the journal asks for them: the part that an engine's run and the verbs
// of an outside worker have in common.

import { waitsInLine } from "../core/merge-line.ts";
import { waitsForRoom } from "../core/room.ts";
import { isLeftAsleep } from "../core/waiting.ts";
import type { endAtOnce } from "../kit/run-process.ts";
import type { Effect } from "../protocol/effect.ts";
import type { Recorded } from "../protocol/event.ts";
import { failed, succeeded } from "../protocol/failure.ts";
import type { EffectId, RunId } from "../protocol/ids.ts";
import type { Asked } from "../protocol/input.ts";
import { type Journal, refusalIn } from "./journal.ts";
import { perform, recover } from "./perform.ts";
import type { Performing } from "./performers/performing.ts";
import type { Ports, Views } from "./ports.ts";

interface Work {
  readonly fence: number;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export interface CarrierParts {
  readonly run: RunId;
  readonly journal: Journal;
  readonly ports: Ports;
  readonly views: Views;
  /** Makes command ids of this process differ from those of another that carries the same run. */
  readonly prefix: string;
  /** Left to somebody else. */
  readonly leaves?: (effect: Effect, adopted: boolean) => boolean;
}

export class Carrier {
  readonly #parts: CarrierParts;
  /** By effect id: one piece of work at a time, even when its effect was given a new fence meanwhile. */
  readonly #underWay = new Map<EffectId, Work>();
  /** A store that cannot be written to ends the run: nothing may be done that cannot be recorded. */
  #broken: unknown = null;
  #wake: () => void = () => undefined;

  constructor(parts: CarrierParts) {
    this.#parts = parts;
  }

  isLive(): boolean {
    return this.#parts.journal.state().runs.has(this.#parts.run);
  }

  ask(asked: Asked, name: string): Promise<readonly Recorded[]> {
    return this.#parts.journal.transact(asked, `${this.#parts.prefix}/${name}`);
  }

  get isBroken(): boolean {
    return this.#broken !== null;
  }
  break(error: unknown): void {
    this.#broken ??= error;
    this.wake();
  }
  throwIfBroken(): void {
    if (this.#broken !== null) throw this.#broken;
  }

  wake(): void {
    this.#wake();
  }
  /** Resolves with the next answer, foreign event or call of `wake`. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Stops everything under way; what was not answered stays pending and is recovered by evidence. */
  async stop(how?: typeof endAtOnce): Promise<void> {
    for (const { abort } of this.#underWay.values()) abort.abort(how);
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  /** Starts whatever is pending and not under way yet. */
  dispatch(): void {
    const { run, journal, leaves, prefix } = this.#parts;
    for (const { effect, processes, adopted } of journal.state().pending.values()) {
      if (effect.run !== run) continue;
      const present = this.#underWay.get(effect.id);
      // Taken away from under the work (a reset): it is ended first, and what it left is looked at then.
      if (present !== undefined && present.fence !== effect.fence) present.abort.abort();
      if (present !== undefined || leaves?.(effect as Effect, adopted)) continue;
      // Looked at again after every change: the turn comes with the end of somebody else's.
      const state = journal.state();
      if (waitsInLine(state, effect) || waitsForRoom(state, effect) || isLeftAsleep(state, effect)) continue;
      const key = `${prefix}/${effect.id}#${effect.fence}`;
      const abort = new AbortController();
      const performing: Performing = { ...this.#reports(key, effect as Effect, abort.signal), left: processes };
      const done = (adopted ? recover : perform)(performing)
        .then(async (answer) => {
          if (answer === null) return;
          const { id, fence } = effect;
          await journal.transact({ type: "effect.answer", run, id, fence, answer }, `${key}/answer`);
          await journal.snapshot("if-long");
        })
        .catch((error: unknown) => this.break(error))
        .finally(() => {
          this.#underWay.delete(effect.id);
          this.wake();
        });
      this.#underWay.set(effect.id, { fence: effect.fence, abort, done });
    }
  }

  #reports(key: string, effect: Effect, signal: AbortSignal): Omit<Performing, "left"> {
    const { run, journal, ports, views } = this.#parts;
    const of = { run, id: effect.id, fence: effect.fence };
    const report = (asked: Asked, name: string) => journal.transact(asked, `${key}/${name}`);
    let marks = 0;
    let words = 0;
    return {
      effect,
      ports,
      state: journal.state(),
      signal,
      flushViews: () => views.flush(),
      announce: async (process) => {
        const events = await report({ type: "process.start", ...of, process }, `process/${process.pid}`);
        return refusalIn(events) === null && !signal.aborted;
      },
      spoke: async () => void (await report({ type: "agent.speak", ...of }, "spoke")),
      checkpoint: async (checkpoint) => {
        marks += 1;
        const refused = refusalIn(await report({ type: "agent.checkpoint", ...of, checkpoint }, `checkpoint/${marks}`));
        return refused === null ? succeeded(undefined) : failed(refused);
      },
      tell: async (told) => {
        words += 1;
        const events = await report({ type: "agent.tell", ...of, told }, `tell/${words}`);
        const refused = refusalIn(events);
        return refused === null ? succeeded(events) : failed(refused);
      },
    };
  }

  /** Other processes change the mission too: their events are folded, and `onNews` may say what follows. */
  async watch(signal: AbortSignal, onNews: () => Promise<unknown>): Promise<void> {
    const { journal, ports } = this.#parts;
    let told = journal.decidedAt();
    while (!signal.aborted) {
      try {
        told = Math.max(told, journal.decidedAt());
        await ports.store.changed(told, signal);
        if (signal.aborted) return;
        await journal.catchUp();
        const { position } = journal.state();
        // Not by how many were folded just now: a view that looked a moment before may have folded them all.
        if (position > Math.max(told, journal.decidedAt())) await onNews();
        told = position;
      } catch (error) {
        this.break(error);
        return;
      } finally {
        this.wake();
      }
    }
  }
}
