// Keeps the mission branch and the user's branch together. Whatever comes of it, no attempt fails by it.
import type { ReadonlyState } from "../../core/state.ts";
import type { Accepted, Answer } from "../../protocol/effect.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { Ports } from "../ports.ts";
import { type PerformingKind, proofFor, recorded } from "./performing.ts";
import { redactedFailure } from "./redacted.ts";

type CaughtUp = NonNullable<Extract<Answer, { kind: "workspace.opened" }>["caughtUp"]>;
type Delivered = Accepted | { readonly failure: Failure };

/** Others merge too: whoever loses this often leaves it to the next one who opens a workspace. */
const tries = 3;

/** Brings the mission branch up to the user's, if that is clean and passes. Null when there was nothing to do. */
export async function catchUp(performing: PerformingKind<"workspace.open">): Promise<CaughtUp | null> {
  const { ports, state, signal } = performing;
  const request = { branch: ports.integration.baseBranch, tried: state.stayedBehind };
  for (let attempt = 0; attempt < tries && !signal.aborted; attempt++) {
    const trial = await ports.workspaces.trial(request);
    // What is wrong with the repository is told by the opening that follows.
    if (!trial.ok || trial.value.end === "current") return null;
    const { theirs } = trial.value;
    if (trial.value.end === "conflict") return { theirs, failure: conflict(trial.value.why) };
    const { candidate } = trial.value;
    const failure = await judge(performing, candidate.commit);
    if (signal.aborted) return null;
    if (failure !== null) return { theirs, failure };
    const moved = await ports.workspaces.catchUp(candidate);
    if (!moved.ok) return null;
    if (moved.value) return { theirs, commit: candidate.commit };
  }
  return null;
}

const conflict = (why: string): Failure => ({
  kind: "merge_conflict",
  message: why.slice(0, 2_000),
  remedy: "the mission goes on without it; `harness accept` names what to resolve",
});

/** Null when it passed, or when nothing judges the project as a whole. */
async function judge(performing: PerformingKind<"workspace.open">, commit: CommitId): Promise<Failure | null> {
  const { ports, effect, announce, signal } = performing;
  const { validation } = ports.integration;
  if (validation === null) return null;
  const gate = ports.gate(validation);
  if (!gate.ok) return gate.failure;
  const proof = await ports.workspaces.proof(proofFor(performing, commit));
  if (!proof.ok) return proof.failure;
  const { redactor } = ports;
  const { commands: confine } = ports.confinement;
  const at = { dir: proof.value.path, env: ports.environment(effect), announce, confine, redactor };
  const verdict = await recorded(performing, "catch-up", (given) => gate.value.check({ ...at, ...given }, signal));
  return verdict.verdict === "pass" ? null : redactedFailure(verdict.failure, ports.redactor);
}

/** With `integration: current` each merged task goes on into the user's branch, with all that waited before it. */
export async function deliver(ports: Ports, state: ReadonlyState): Promise<Delivered | null> {
  const { mode, baseBranch: branch } = ports.integration;
  if (mode !== "current") return null;
  const mission = state.mission?.id ?? "";
  const accepted = await ports.workspaces.accept({
    mission,
    tasks: null,
    squash: false,
    branch,
    otherwise: "cut-from",
  });
  return accepted.ok
    ? { ...accepted.value, tasks: [...accepted.value.tasks] }
    : { failure: redactedFailure(accepted.failure, ports.redactor) };
}
