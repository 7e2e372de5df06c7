// Runs the commands that judge nothing: cleaning up after a failed attempt, and asking harness-init.sh about the environment.
import type { GateRequest } from "../../gates/gate.ts";
import type { Answer, Effect } from "../../protocol/effect.ts";
import type { GateSpec } from "../../protocol/gate.ts";
import { prepareSlot } from "../setup/prepare.ts";
import { type Performing, type PerformingKind, proofFor } from "./performing.ts";
import { redactedFailure } from "./redacted.ts";

/** An installation may take its time; a script that hangs must not hang us. */
const initTimeoutMs = 600_000;

/** In a clean checkout of the attempt's base: its own files are archived by now. */
export async function cleanUp(performing: PerformingKind<"cleanup.run">): Promise<Answer> {
  const { effect, ports } = performing;
  const checkout = await ports.workspaces.proof(proofFor(performing, effect.base));
  if (!checkout.ok) return { kind: "failed", failure: checkout.failure };
  const env = await prepareSlot(performing, checkout.value.path);
  if (!env.ok) return { kind: "failed", failure: env.failure };
  return runCommand(performing, effect.gate, { dir: checkout.value.path, env: env.value });
}

/** In the project itself: it is about the machine the user works on (S1). */
export const prepareSession = (performing: PerformingKind<"session.prepare">): Promise<Answer> => {
  const options = { command: "sh ./harness-init.sh", timeoutMs: initTimeoutMs };
  const { ports, effect } = performing;
  return runCommand(
    performing,
    { use: "command", options },
    { dir: ports.project.root, env: ports.environment(effect) },
  );
};

async function runCommand(
  { ports, announce, signal }: Performing<Effect>,
  spec: GateSpec,
  at: Pick<GateRequest, "dir" | "env">,
): Promise<Answer> {
  const gate = ports.gate(spec);
  if (!gate.ok) return { kind: "failed", failure: gate.failure };
  const verdict = await gate.value.check({ ...at, announce }, signal);
  if (verdict.verdict === "pass") return { kind: "command.ended", failure: null };
  const failure = redactedFailure(verdict.failure, ports.redactor);
  return { kind: "command.ended", failure: { ...failure, kind: "env_setup" } };
}
