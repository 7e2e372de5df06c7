// Runs the commands that judge nothing: cleaning up after a failed attempt, and asking harness-init.sh about the environment.
import type { GateRequest } from "../../gates/gate.ts";
import type { Answer, Effect } from "../../protocol/effect.ts";
import type { GateSpec } from "../../protocol/gate.ts";
import { prepareSlot } from "../setup/prepare.ts";
import { type Performing, type PerformingKind, proofFor, recorded } from "./performing.ts";
import { redactedFailure } from "./redacted.ts";
import { tellWithheld } from "./withheld.ts";

/** An installation may take its time; a script that hangs must not hang us. */
const initTimeoutMs = 600_000;

/** In a clean checkout of the attempt's base: its own files are archived by now. */
export async function cleanUp(performing: PerformingKind<"cleanup.run">): Promise<Answer> {
  const { effect, ports } = performing;
  const checkout = await ports.workspaces.proof(proofFor(performing, effect.base));
  if (!checkout.ok) return { kind: "failed", failure: checkout.failure };
  const env = await prepareSlot(performing, checkout.value.path);
  if (!env.ok) return { kind: "failed", failure: env.failure };
  const { commands: confine } = ports.confinement;
  const at = { dir: checkout.value.path, env: env.value, confine };
  return recorded(performing, "cleanup", (given) => runCommand(performing, effect.gate, { ...at, ...given }));
}

/** In the project itself, and in no sandbox: it is the accepted text of the user's own file, about his machine (S1). */
export const prepareSession = (performing: PerformingKind<"session.prepare">): Promise<Answer> => {
  const options = { command: "sh ./harness-init.sh", timeoutMs: initTimeoutMs };
  const { ports, effect } = performing;
  const at = { dir: ports.project.root, env: ports.environment(effect) };
  return recorded(performing, "init", (given) =>
    runCommand(performing, { use: "command", options }, { ...at, ...given }),
  );
};

async function runCommand(
  performing: Performing<Effect>,
  spec: GateSpec,
  at: Pick<GateRequest, "dir" | "env" | "record" | "limits" | "confine">,
): Promise<Answer> {
  const { ports, announce, signal } = performing;
  const gate = ports.gate(spec);
  if (!gate.ok) return { kind: "failed", failure: gate.failure };
  const verdict = await gate.value.check({ ...at, announce, redactor: ports.redactor }, signal);
  if (verdict.verdict === "pass") return { kind: "command.ended", failure: null };
  const failure = redactedFailure(tellWithheld(verdict.failure, performing), ports.redactor);
  return { kind: "command.ended", failure: { ...failure, kind: "env_setup" } };
}
