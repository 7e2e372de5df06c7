// What every performer is given, and how it reports while it works.
import type { ReadonlyState } from "../../core/state.ts";
import type { GateRequest } from "../../gates/gate.ts";
import type { AnnounceProcess, ProcessIdentity } from "../../protocol/agent.ts";
import type { Answer, AttemptEffect, Effect } from "../../protocol/effect.ts";
import type { Recorded } from "../../protocol/event.ts";
import type { Outcome } from "../../protocol/failure.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { Checkpoint } from "../../protocol/task.ts";
import type { Told } from "../../protocol/told.ts";
import type { ProofRequest } from "../../workspaces/workspace.ts";
import type { Ports } from "../ports.ts";

export interface Performing<E extends Effect = Effect> {
  readonly effect: E;
  readonly ports: Ports;
  readonly state: ReadonlyState;
  /** Processes announced by an earlier run for this same effect. */
  readonly left: readonly ProcessIdentity[];
  readonly signal: AbortSignal;
  readonly announce: AnnounceProcess;
  /** The files an agent may read are up to date when it resolves. */
  flushViews(): Promise<void>;
  spoke(): Promise<void>;
  /** Also when it was refused, with the reason: an agent that only prints its marks is not told. */
  checkpoint(checkpoint: Checkpoint): Promise<Outcome<void>>;
  /** What followed from it. */
  tell(told: Told): Promise<Outcome<readonly Recorded[]>>;
}

export type PerformingKind<K extends Effect["kind"]> = Performing<Extract<Effect, { kind: K }>>;

/** An expected failure of a port is an answer like any other. */
export const answered = <T>(outcome: Outcome<T>, answer: (value: T) => Answer): Answer =>
  outcome.ok ? answer(outcome.value) : { kind: "failed", failure: outcome.failure };

/** In a lane whose earlier owner may wake up, nothing is judged where that one would judge. */
export const proofFor = ({ effect, state }: Performing<AttemptEffect>, commit: CommitId): ProofRequest => ({
  slot: effect.lane,
  commit,
  apart: state.retiredLanes.has(effect.lane) ? effect.fence : null,
});

/** Runs a program for the effect, with what it prints kept under a name and what it may use limited. */
export async function recorded<T>(
  { ports, effect }: Performing,
  what: string,
  run: (given: Pick<Required<GateRequest>, "record" | "limits">) => Promise<T>,
): Promise<T> {
  const { record, close } = ports.output.open(effect, what);
  try {
    return await run({ record, limits: ports.limits });
  } finally {
    await close();
  }
}
