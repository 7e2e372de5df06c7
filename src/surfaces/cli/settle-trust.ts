// Whether what a project brings may run: by a flag, by what the user accepted before, or by asking now (rule T).
import { isAccepted, keepAcceptance, type Mission, type Project } from "../../compose.ts";
import { type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Trust } from "../../protocol/input.ts";
import type { Environment } from "../../runtime/project.ts";
import type { Waiting } from "./trust-text.ts";

interface Asking {
  readonly env: Environment;
  /** The user, if there is one. */
  readonly ask?: (waiting: Waiting) => Promise<boolean>;
}

/** Compared once more in the transaction that starts the run: what changed since then is not covered. */
export async function settleTrust(
  mission: Mission,
  { root }: Project,
  said: Trust,
  { env, ask }: Asking,
): Promise<Outcome<Trust>> {
  if (said.how === "all") return succeeded(said);
  const waiting = await mission.untrusted();
  if (waiting === null) return succeeded(said);
  const keep = () => keepAcceptance(env, { root, ...waiting, what: [...waiting.what], at: Date.now() });
  const accepted = { how: "hash", hash: waiting.hash } as const;
  if (said.how === "hash") {
    if (said.hash !== waiting.hash) return succeeded(said);
    const kept = await keep();
    return kept.ok ? succeeded(said) : kept;
  }
  const known = await isAccepted(env, root, waiting.hash);
  if (!known.ok) return known;
  if (known.value) return succeeded(accepted);
  if ((await ask?.({ root, ...waiting })) !== true) return succeeded(said);
  const kept = await keep();
  return kept.ok ? succeeded(accepted) : kept;
}
