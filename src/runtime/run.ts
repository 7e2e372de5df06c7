// One life of the engine: carries the effects its run owns until the core says that the run has ended.
import { endAtOnce } from "../kit/run-process.ts";
import type { BudgetWish } from "../protocol/budget.ts";
import type { Failure } from "../protocol/failure.ts";
import type { RunId } from "../protocol/ids.ts";
import type { Command, Trust } from "../protocol/input.ts";
import { defaultLeaseSeconds } from "../protocol/lease.ts";
import type { EndReason } from "../protocol/view.ts";
import { Carrier } from "./carrier.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Journal } from "./journal.ts";
import { type Hold, whileHolding } from "./lock/hold.ts";
import type { Ports, Views } from "./ports.ts";
import { RunTime } from "./run-time.ts";
import { type Place, startRun, tick } from "./start-run.ts";

export type RunEnd =
  | { readonly started: true; readonly reason: EndReason; readonly detail: string }
  | { readonly started: false; readonly failure: Failure };

export interface RunOptions {
  readonly lanes: number;
  /** What of an adopted project's commands may run; nothing, if not given. */
  readonly trust?: Trust;
  /** One batch – as many tasks as there are lanes – and no more (S2). */
  readonly once?: boolean;
  /** How its claims are named; else by host and process (L2). */
  readonly worker?: string | undefined;
  readonly leaseSeconds?: number;
  /** What the mission is to be bounded by, if that is to change. */
  readonly budget?: BudgetWish | undefined;
}

export class Run {
  readonly #id: RunId;
  readonly #journal: Journal;
  readonly #ports: Ports;
  readonly #views: Views;
  readonly #carrier: Carrier;
  readonly #place: Place;
  readonly #abort = new AbortController();
  #ticks = 0;
  /** Less room is left on the machine than must be. */
  #shortage: Failure | undefined;

  constructor(journal: Journal, ports: Ports, views: Views) {
    this.#views = views;
    this.#journal = journal;
    this.#ports = ports;
    this.#place = { journal, ports };
    this.#id = ports.newId();
    this.#carrier = new Carrier({ run: this.#id, journal, ports, views, prefix: this.#id });
  }

  async live(options: RunOptions, signal: AbortSignal): Promise<RunEnd> {
    // Where several may work at once, each lease tells who lives, and no lock is held.
    if (this.#isShared()) return this.#live(options, { removedStale: null }, signal);
    const held = await whileHolding(this.#ports, (hold) => this.#live(options, hold, signal));
    return held.ok ? held.value : { started: false, failure: held.failure };
  }

  #isShared(): boolean {
    return this.#journal.state().mission?.concurrency === "concurrent";
  }

  async #live(options: RunOptions, { removedStale }: Pick<Hold, "removedStale">, signal: AbortSignal): Promise<RunEnd> {
    // What people wrote into the files is taken up before anything is claimed.
    await this.#views.flush();
    const {
      lanes,
      once = false,
      trust = { how: "none" },
      leaseSeconds = defaultLeaseSeconds,
      worker,
      budget,
    } = options;
    const refused = await startRun(this.#place, {
      run: this.#id,
      lanes,
      trust,
      claims: once ? lanes : null,
      leaseSeconds,
      worker,
      removedStale,
      budget,
    });
    if (refused !== null) return { started: false, failure: refused };

    const carrier = this.#carrier;
    const watching = carrier.watch(this.#abort.signal, () => this.#tick());
    const heart = this.#beat(leaseSeconds);
    const onTrouble = (error: unknown) => carrier.break(error);
    const time = new RunTime(this.#place, { run: this.#id, onTold: () => carrier.wake(), onTrouble });
    const signals = this.#ports.signals.watch({
      pause: () => this.#heed({ type: "mission.pause", by: ".harness/signals/pause" }),
      stop: () => this.#heed({ type: "mission.stop", now: false }),
    });
    const room = this.#ports.room.watch((failure) => {
      this.#shortage = failure;
      carrier.wake();
    });
    const interrupt = () => carrier.wake();
    signal.addEventListener("abort", interrupt);
    try {
      while (carrier.isLive() && !signal.aborted && !this.#mustStopNow() && !carrier.isBroken) {
        time.watch();
        carrier.dispatch();
        await carrier.nextChange();
      }
      if (carrier.isLive()) await this.#interrupt(signal.aborted ? "interrupted" : "stopped");
    } finally {
      signal.removeEventListener("abort", interrupt);
      signals.close();
      room.close();
      heart?.stop();
      this.#abort.abort();
      await carrier.stop();
      if (!carrier.isBroken) await time.stop();
      await watching;
    }
    carrier.throwIfBroken();
    await this.#journal.snapshot("always");
    const last = this.#journal.state().lastRun;
    return last?.id === this.#id
      ? { started: true, reason: last.reason, detail: last.detail }
      : { started: true, reason: "lost", detail: "another run took the mission over" };
  }

  /** Where several work at once, each says that it lives, and looks whether the others do. */
  #beat(leaseSeconds: number): Heartbeat | null {
    if (!this.#isShared()) return null;
    return new Heartbeat(this.#place, {
      run: this.#id,
      leaseSeconds,
      onGone: () => this.#tick(),
      onTrouble: (error) => this.#carrier.break(error),
    });
  }

  /** The run considers what follows from what others did, and from who of them is gone. */
  async #tick(): Promise<void> {
    this.#ticks += 1;
    const name = `${this.#id}/tick/${this.#ticks}`;
    await tick(this.#place, this.#id, name);
  }

  /** A file asks; it may ask for what is so already. */
  #heed(command: Command): void {
    const heeded = async () => {
      await this.#journal.transact(command, this.#ports.newId());
      // Nothing else may happen for hours: what follows from it is considered now.
      await this.#tick();
      // A stop is for this run; a pause stays until somebody resumes.
      if (command.type === "mission.stop") await this.#ports.signals.clear("stop");
    };
    heeded().then(
      () => this.#carrier.wake(),
      (error: unknown) => this.#carrier.break(error),
    );
  }

  #mustStopNow(): boolean {
    return this.#shortage !== undefined || this.#journal.state().runs.get(this.#id)?.ending?.now === true;
  }

  /** Everything stops first, then the run ends; what was under way stays pending and is recovered by evidence. */
  async #interrupt(reason: EndReason): Promise<void> {
    const failure = this.#shortage;
    // Who fills the disk would go on with it.
    await this.#carrier.stop(failure && endAtOnce);
    if (this.#carrier.isBroken) return;
    await this.#carrier.ask({ type: "run.end", run: this.#id, reason, detail: failure?.message ?? "", failure }, "end");
  }
}
