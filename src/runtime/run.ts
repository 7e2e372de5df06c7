// One life of the engine: performs the effects its run owns until the core says that the run has ended.
import type { Recorded } from "../protocol/event.ts";
import type { Failure } from "../protocol/failure.ts";
import type { EffectId, RunId } from "../protocol/ids.ts";
import type { Asked, Command, Trust } from "../protocol/input.ts";
import type { EndReason } from "../protocol/view.ts";
import { type Journal, refusalIn } from "./journal.ts";
import { type Hold, whileHolding } from "./lock/hold.ts";
import { perform, recover } from "./perform.ts";
import type { Performing } from "./performers/performing.ts";
import type { Ports, Views } from "./ports.ts";
import { untrustedIn } from "./trust.ts";

export type RunEnd =
  | { readonly started: true; readonly reason: EndReason; readonly detail: string }
  | { readonly started: false; readonly failure: Failure };

export interface RunOptions {
  readonly lanes: number;
  /** What of an adopted project's commands may run; nothing, if not given. */
  readonly trust?: Trust;
}

interface Work {
  readonly fence: number;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export class Run {
  readonly #id: RunId;
  readonly #journal: Journal;
  readonly #ports: Ports;
  readonly #views: Views;
  readonly #abort = new AbortController();
  /** By effect id: one piece of work at a time, even when its effect was given a new fence meanwhile. */
  readonly #underWay = new Map<EffectId, Work>();
  /** A store that cannot be written to ends the run: nothing may be done that cannot be recorded. */
  #broken: unknown = null;
  #wake: () => void = () => undefined;

  constructor(journal: Journal, ports: Ports, views: Views) {
    this.#views = views;
    this.#journal = journal;
    this.#ports = ports;
    this.#id = ports.newId();
  }

  async live(options: RunOptions, signal: AbortSignal): Promise<RunEnd> {
    const held = await whileHolding(this.#ports, (hold) => this.#live(options, hold, signal));
    return held.ok ? held.value : { started: false, failure: held.failure };
  }

  async #live({ lanes, trust = { how: "none" } }: RunOptions, hold: Hold, signal: AbortSignal): Promise<RunEnd> {
    // What people wrote into the files is taken up before anything is claimed.
    await this.#views.flush();
    await this.#journal.catchUp();
    const previous = this.#journal.state().run;
    const previousAlive = previous !== null && (await this.#ports.processes.isAlive(previous.owner));
    const { initScript, ...code } = await this.#ports.project.facts();
    const untrusted = untrustedIn(this.#journal.state(), code);
    const about = { lanes, previousAlive, initScript, projectHash: code.hash, trust, untrusted };
    const start = { run: this.#id, ...hold, ...about };
    const refused = refusalIn(await this.#ask({ type: "run.start", ...start }, "start"));
    if (refused !== null) return { started: false, failure: refused };

    const watching = this.#watch();
    const signals = this.#ports.signals.watch({
      pause: () => this.#heed({ type: "mission.pause", by: ".harness/signals/pause" }),
      stop: () => this.#heed({ type: "mission.stop", now: false }),
    });
    const interrupt = () => this.#wake();
    signal.addEventListener("abort", interrupt);
    try {
      while (this.#isLive() && !signal.aborted && !this.#mustStopNow() && this.#broken === null) {
        this.#dispatch();
        await this.#nextChange();
      }
      if (this.#isLive()) await this.#interrupt(signal.aborted ? "interrupted" : "stopped");
    } finally {
      signal.removeEventListener("abort", interrupt);
      signals.close();
      this.#abort.abort();
      await this.#stopWork();
      await watching;
    }
    if (this.#broken !== null) throw this.#broken;
    await this.#journal.snapshot("always");
    const last = this.#journal.state().lastRun;
    return last?.id === this.#id
      ? { started: true, reason: last.reason, detail: last.detail }
      : { started: true, reason: "lost", detail: "another run took the mission over" };
  }

  /** A file asks; it may ask for what is so already. */
  #heed(command: Command): void {
    const heeded = async () => {
      await this.#journal.transact(command, this.#ports.newId());
      // A stop is for this run; a pause stays until somebody resumes.
      if (command.type === "mission.stop") await this.#ports.signals.clear("stop");
    };
    heeded().then(
      () => this.#wake(),
      (error: unknown) => {
        this.#broken ??= error;
        this.#wake();
      },
    );
  }

  #isLive(): boolean {
    return this.#journal.state().run?.id === this.#id;
  }
  #mustStopNow(): boolean {
    return this.#journal.state().run?.ending?.now === true;
  }

  #ask(asked: Asked, name: string): Promise<readonly Recorded[]> {
    return this.#journal.transact(asked, `${this.#id}/${name}`);
  }

  /** Everything stops first, then the run ends; what was under way stays pending and is recovered by evidence. */
  async #interrupt(reason: EndReason): Promise<void> {
    await this.#stopWork();
    if (this.#broken === null) await this.#ask({ type: "run.end", run: this.#id, reason, detail: "" }, "end");
  }

  async #stopWork(): Promise<void> {
    this.#abort.abort();
    for (const { abort } of this.#underWay.values()) abort.abort();
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  #dispatch(): void {
    for (const { effect, processes, adopted } of this.#journal.state().pending.values()) {
      if (effect.run !== this.#id) continue;
      const present = this.#underWay.get(effect.id);
      // Taken away from under the work (a reset): it is ended first, and what it left is looked at then.
      if (present !== undefined && present.fence !== effect.fence) present.abort.abort();
      if (present !== undefined) continue;
      const key = `${effect.id}#${effect.fence}`;
      const abort = new AbortController();
      const performing: Performing = { ...this.#reports(key, effect, abort.signal), left: processes };
      const done = (adopted ? recover : perform)(performing)
        .then(async (answer) => {
          if (answer === null) return;
          const { id, fence } = effect;
          await this.#ask({ type: "effect.answer", run: this.#id, id, fence, answer }, `${key}/answer`);
          await this.#journal.snapshot("if-long");
        })
        .catch((error: unknown) => {
          this.#broken ??= error;
        })
        .finally(() => {
          this.#underWay.delete(effect.id);
          this.#wake();
        });
      this.#underWay.set(effect.id, { fence: effect.fence, abort, done });
    }
  }

  #reports(key: string, effect: Performing["effect"], signal: AbortSignal): Omit<Performing, "left"> {
    const of = { run: this.#id, id: effect.id, fence: effect.fence };
    let marks = 0;
    return {
      effect,
      ports: this.#ports,
      state: this.#journal.state(),
      signal,
      flushViews: () => this.#views.flush(),
      announce: async (process) => {
        const events = await this.#ask({ type: "process.start", ...of, process }, `${key}/process/${process.pid}`);
        return refusalIn(events) === null && !signal.aborted;
      },
      spoke: async () => void (await this.#ask({ type: "agent.speak", ...of }, `${key}/spoke`)),
      checkpoint: async (checkpoint) => {
        marks += 1;
        await this.#ask({ type: "agent.checkpoint", ...of, checkpoint }, `${key}/checkpoint/${marks}`);
      },
    };
  }

  /** Other processes change the mission too: their events are folded, and the run considers what follows. */
  async #watch(): Promise<void> {
    let ticks = 0;
    while (!this.#abort.signal.aborted) {
      try {
        await this.#ports.store.changed(this.#journal.state().position, this.#abort.signal);
        if (this.#abort.signal.aborted) return;
        if ((await this.#journal.catchUp()) === 0) continue;
        ticks += 1;
        await this.#ask({ type: "run.tick", run: this.#id }, `tick/${ticks}`);
      } catch (error) {
        this.#broken ??= error;
        return;
      } finally {
        this.#wake();
      }
    }
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
