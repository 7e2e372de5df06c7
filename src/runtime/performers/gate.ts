// Judges a candidate on a clean checkout of exactly that commit, set up like any other (rules A4, G2).
import type { Answer, Which } from "../../protocol/effect.ts";
import { succeeded } from "../../protocol/failure.ts";
import { prepareSlot } from "../setup/prepare.ts";
import { type PerformingKind, proofFor, recorded } from "./performing.ts";
import { redactedVerdict } from "./redacted.ts";
import { tellWithheldVerdict } from "./withheld.ts";

/** Under which what it prints is kept. */
const outputNames: Record<Which, string> = {
  "phase-artifacts": "artifacts",
  "phase-command": "phase-validation",
  artifacts: "artifacts",
  quick: "quick-validation",
  full: "validation",
};

export async function checkGate(performing: PerformingKind<"gate.check">): Promise<Answer> {
  const { effect, ports, signal, announce } = performing;
  const { commands: confine } = ports.confinement;
  const gate = ports.gate(effect.gate);
  if (!gate.ok) return { kind: "failed", failure: gate.failure };
  const proof = await ports.workspaces.proof(proofFor(performing, effect.candidate.commit));
  if (!proof.ok) return { kind: "failed", failure: proof.failure };
  const { path: dir, made } = proof.value;
  const env = gate.value.startsNothing ? succeeded({}) : await prepareSlot(performing, dir);
  if (!env.ok) return { kind: "failed", failure: env.failure };
  const base = async () => {
    const clean = await ports.workspaces.proof(proofFor(performing, effect.candidate.parent));
    return clean.ok && (await prepareSlot(performing, clean.value.path)).ok ? clean.value.path : null;
  };
  const { redactor } = ports;
  const request = { dir, made, env: env.value, announce, confine, base, redactor };
  const verdict = await recorded(performing, outputNames[effect.which], (given) =>
    gate.value.check({ ...request, ...given }, signal),
  );
  return { kind: "gate.judged", verdict: redactedVerdict(tellWithheldVerdict(verdict, performing), redactor) };
}
