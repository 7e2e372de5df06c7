// The handle on one mission: ask, look, follow, run.
import type { ReadonlyState } from "../core/state.ts";
import { notificationFor } from "../core/views/notification.ts";
import type { Recorded } from "../protocol/event.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";
import type { Verdict } from "../protocol/gate.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { Command } from "../protocol/input.ts";
import type { Mark, Validation } from "../protocol/task.ts";
import { decodeEvent } from "../protocol/upgrade.ts";
import type { RunRow } from "../protocol/view.ts";
import type { Accepted, Dropped } from "../workspaces/branch-keeping.ts";
import { type AcceptWish, acceptFinished } from "./accept.ts";
import { judgeBaseline } from "./baseline.ts";
import { cleanInput } from "./clean-input.ts";
import { type DropWish, dropFinished } from "./drop.ts";
import { Journal, refusalIn } from "./journal.ts";
import { type NextBrief, nextBrief } from "./next-brief.ts";
import {
  type Claimed,
  type ClaimRequest,
  claimTask,
  type HandedIn,
  type Holding,
  handIn,
  markClaim,
  renewClaim,
} from "./outside.ts";
import type { Ports } from "./ports.ts";
import { Run, type RunEnd, type RunOptions } from "./run.ts";
import { type Untrusted, untrustedIn } from "./trust.ts";

export interface Placed {
  readonly position: number;
  readonly event: Recorded;
}

export interface Mission {
  /** Records what is asked; the failure says why it was refused. A repeated `commandId` changes nothing. */
  submit(command: Command, commandId?: string): Promise<Outcome<readonly Recorded[]>>;
  /** As last folded; `refresh` first to see what other processes did. */
  state(): ReadonlyState;
  refresh(): Promise<ReadonlyState>;
  /** One row for each run there ever was, oldest first. */
  runs(): Promise<readonly RunRow[]>;
  /** Every event after a position, then those that follow, from whichever process, until `signal` aborts. */
  events(after: number, signal: AbortSignal): AsyncIterable<Placed>;
  /** What waits for somebody to say that it may run (rule T); null: nothing. */
  untrusted(): Promise<Untrusted | null>;
  /** How the validation judges what an attempt would begin with; while no run is on. */
  baseline(validation: Validation, signal: AbortSignal): Promise<Outcome<Verdict>>;
  /** Carries attempts on `lanes` lanes until the mission loop ends. An abort stops cleanly and keeps all work. */
  run(options: RunOptions, signal: AbortSignal): Promise<RunEnd>;
  /** For who does the agent's work itself (rule L4). */
  readonly outside: {
    claim(request: ClaimRequest, signal: AbortSignal): Promise<Outcome<Claimed>>;
    renew(holding: Holding): Promise<Outcome<number>>;
    checkpoint(holding: Holding, mark: Omit<Mark, "at">): Promise<Outcome<number | null>>;
    done(holding: Holding, message: string, signal: AbortSignal): Promise<Outcome<HandedIn>>;
    fail(holding: Holding, failure: Failure, signal: AbortSignal): Promise<Outcome<HandedIn>>;
  };
  /** Brings finished work into the user's branch. */
  accept(wish: AcceptWish): Promise<Outcome<Accepted>>;
  /** What the agent of a task would be given now. */
  brief(task: TaskId): Promise<Outcome<NextBrief>>;
  /** Takes finished work that nobody wants out of the mission branch. */
  drop(wish: DropWish): Promise<Outcome<Dropped>>;
  close(): Promise<void>;
}

export async function createMission(ports: Ports): Promise<Mission> {
  const journal = new Journal(ports.store, ports.clock, (words) => cleanInput(words, ports.redactor.redact));
  await journal.catchUp();
  const views = ports.views({
    look: (use) => journal.look(use),
    read: (after, limit) => ports.store.read(after, limit),
    submit: (command) => journal.transact(command, ports.newId()),
  });
  journal.onEvents((events) => {
    for (const event of events) notify(ports, event, journal.state());
    void views.publish();
  });
  const place = { journal, ports, views };
  let hasAsked = false;
  return {
    async submit(command, commandId = ports.newId()) {
      hasAsked = true;
      const events = await journal.transact(command, commandId);
      const refused = refusalIn(events);
      if (refused === null && command.type === "mission.resume") await ports.signals.clear("pause");
      return refused === null ? succeeded(events) : failed(refused);
    },
    state: () => journal.state(),
    async refresh() {
      await journal.catchUp();
      return journal.state();
    },
    runs: () => ports.store.runs(),
    events: (after, signal) => follow(ports, after, signal),
    async untrusted() {
      await journal.catchUp();
      return untrustedIn(journal.state(), await ports.project.facts());
    },
    baseline: (validation, signal) => judgeBaseline({ ports, state: journal.state() }, validation, signal),
    run: (options, signal) => new Run(journal, ports, views).live(options, signal),
    outside: {
      claim: (request, signal) => claimTask(place, request, signal),
      renew: (holding) => renewClaim(place, holding),
      checkpoint: (holding, mark) => markClaim(place, holding, mark),
      done: (holding, message, signal) => handIn(place, holding, { type: "claim.finish", message }, signal),
      fail: (holding, failure, signal) => handIn(place, holding, { type: "claim.fail", failure }, signal),
    },
    accept: (wish) => {
      hasAsked = true;
      return acceptFinished(place, wish);
    },
    brief: (task) => nextBrief(place, task),
    drop: (wish) => {
      hasAsked = true;
      return dropFinished(place, wish);
    },
    async close() {
      await views.close();
      // A mission that is carried by commands alone must not be folded whole by each of them. What was asked is
      // recorded already: a cache that could not be written fails nothing.
      if (hasAsked) await journal.snapshot("if-long").catch(() => undefined);
      await ports.store.close();
    },
  };
}

async function* follow(ports: Ports, after: number, signal: AbortSignal): AsyncIterable<Placed> {
  let position = after;
  for (;;) {
    for (const stored of await ports.store.read(position, 1_000)) {
      position = stored.position;
      yield { position, event: decodeEvent(stored) };
    }
    if ((await ports.store.head()).position > position) continue;
    if (signal.aborted) return;
    await ports.store.changed(position, signal);
  }
}

/** A notifier can neither stop nor slow a run: it is not waited for, and its failure is its own (rule C3). */
function notify(ports: Ports, event: Recorded, state: ReadonlyState): void {
  const notification = notificationFor(event, state);
  if (notification === null) return;
  const text = ports.redactor.redact(notification.text);
  ports.notifier.send({ ...notification, text }).catch(() => {
    // Losing it is right: the journal and every view still tell what happened.
  });
}
