// One life of the engine: performs the effects its run owns until the core says that the run has ended.
import type { Recorded } from "../protocol/event.ts";
import type { Failure } from "../protocol/failure.ts";
import type { RunId } from "../protocol/ids.ts";
import type { Asked } from "../protocol/input.ts";
import type { EndReason } from "../protocol/view.ts";
import { type Journal, refusalIn } from "./journal.ts";
import { perform, recover } from "./perform.ts";
import type { Performing } from "./performers/performing.ts";
import type { Ports } from "./ports.ts";

export type RunEnd =
  | { readonly started: true; readonly reason: EndReason; readonly detail: string }
  | { readonly started: false; readonly failure: Failure };

export class Run {
  readonly #id: RunId;
  readonly #journal: Journal;
  readonly #ports: Ports;
  readonly #abort = new AbortController();
  /** Effect ids with the fence they are performed under: an adopted one is a new piece of work. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** A store that cannot be written to ends the run: nothing may be done that cannot be recorded. */
  #broken: unknown = null;
  #wake: () => void = () => undefined;

  constructor(journal: Journal, ports: Ports) {
    this.#journal = journal;
    this.#ports = ports;
    this.#id = ports.newId();
  }

  async live(lanes: number, signal: AbortSignal): Promise<RunEnd> {
    await this.#journal.catchUp();
    const previous = this.#journal.state().run;
    const previousAlive = previous !== null && (await this.#ports.processes.isAlive(previous.owner));
    const owner = await this.#ports.processes.self();
    const refused = refusalIn(
      await this.#ask({ type: "run.start", run: this.#id, owner, lanes, previousAlive }, "start"),
    );
    if (refused !== null) return { started: false, failure: refused };

    const watching = this.#watch();
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
      this.#abort.abort();
      await Promise.all([...this.#underWay.values(), watching]);
    }
    if (this.#broken !== null) throw this.#broken;
    await this.#journal.snapshot("always");
    const last = this.#journal.state().lastRun;
    return last?.id === this.#id
      ? { started: true, reason: last.reason, detail: last.detail }
      : { started: true, reason: "lost", detail: "another run took the mission over" };
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
    this.#abort.abort();
    await Promise.all(this.#underWay.values());
    if (this.#broken === null) await this.#ask({ type: "run.end", run: this.#id, reason, detail: "" }, "end");
  }

  #dispatch(): void {
    for (const { effect, processes, adopted } of this.#journal.state().pending.values()) {
      const key = `${effect.id}#${effect.fence}`;
      if (effect.run !== this.#id || this.#underWay.has(key)) continue;
      const performing: Performing = { ...this.#reports(key, effect), left: processes };
      const work = (adopted ? recover : perform)(performing)
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
          this.#underWay.delete(key);
          this.#wake();
        });
      this.#underWay.set(key, work);
    }
  }

  #reports(key: string, effect: Performing["effect"]): Omit<Performing, "left"> {
    const of = { run: this.#id, id: effect.id, fence: effect.fence };
    let marks = 0;
    return {
      effect,
      ports: this.#ports,
      state: this.#journal.state(),
      signal: this.#abort.signal,
      announce: async (process) => {
        const events = await this.#ask({ type: "process.start", ...of, process }, `${key}/process/${process.pid}`);
        return refusalIn(events) === null && !this.#abort.signal.aborted;
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
