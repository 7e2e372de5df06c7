// How a run begins, in one transaction: who of the others is gone is judged with the journal locked (L1, L2).
import type { BudgetWish } from "../protocol/budget.ts";
import type { Failure } from "../protocol/failure.ts";
import { isOutsideRun, type RunId } from "../protocol/ids.ts";
import type { Trust } from "../protocol/input.ts";
import { type Journal, refusalIn } from "./journal.ts";
import { deadRuns, goneRuns, leaseFor } from "./leases.ts";
import type { Ports } from "./ports.ts";
import { untrustedIn } from "./trust.ts";

export interface Place {
  readonly journal: Journal;
  readonly ports: Ports;
}

export interface Start {
  readonly run: RunId;
  readonly lanes: number;
  readonly trust: Trust;
  readonly claims: number | null;
  readonly leaseSeconds: number;
  /** Whoever does the work may be elsewhere: only a lease tells that it lives. */
  readonly leased?: boolean;
  readonly worker: string | undefined;
  /** Whom the visible lock named that was replaced for this run (L1). */
  readonly removedStale?: number | null;
  readonly budget?: BudgetWish | undefined;
}

/** Null when the run has started. */
export async function startRun({ journal, ports }: Place, start: Start): Promise<Failure | null> {
  const { run, lanes, trust, claims, leaseSeconds, leased = false, removedStale = null, budget } = start;
  const { processes, clock } = ports;
  await journal.catchUp();
  const owner = await processes.self();
  const dead = await deadRuns(journal.state(), processes);
  const { initScript, ...code } = await ports.project.facts();
  const worker = start.worker ?? `${owner.host}:${owner.pid}`;
  const events = await journal.transactSeeing(({ state, around: look }) => {
    const around = look();
    const isLeased = leased || state.mission?.concurrency === "concurrent";
    return {
      asked: {
        type: "run.start",
        run,
        owner,
        lanes,
        worker,
        claims,
        leaseSeconds: isLeased ? leaseSeconds : null,
        agent: isOutsideRun(run) ? undefined : ports.agent,
        initScript,
        removedStale,
        sandbox: ports.confinement.name ?? undefined,
        barrier: ports.barrier,
        budget,
        trust,
        projectHash: code.hash,
        untrusted: untrustedIn(state, code),
        gone: goneRuns(state, dead, around, owner, clock),
      },
      ...(isLeased ? { lease: leaseFor(run, owner, leaseSeconds, clock, around.now) } : {}),
    };
  }, `${run}/start`);
  return refusalIn(events);
}

/** The live run looks again at the mission: what others did, and who of them is gone. */
export async function tick({ journal, ports }: Place, run: RunId, commandId: string): Promise<void> {
  const { processes, clock } = ports;
  const here = await processes.self();
  const dead = await deadRuns(journal.state(), processes);
  await journal.transactSeeing(
    ({ state, around }) => ({
      asked: {
        type: "run.tick",
        run,
        gone: goneRuns(state, dead, around(), here, clock).filter((each) => each.run !== run),
      },
    }),
    commandId,
  );
}
