// What the user accepted, for which project: one file in the user's data (rule T). Two that write at once may lose one of
// two acceptances; then it is asked for again.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomic } from "../kit/atomic-file.ts";
import { createFolderDurably } from "../kit/durable-folder.ts";
import { causeOf } from "../kit/file-error.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";
import { type Acceptance, TrustFile } from "../protocol/trust.ts";
import { trustFile } from "./place.ts";
import type { Environment } from "./project.ts";

const maxBytes = 16_000_000;

export async function acceptances(env: Environment): Promise<Outcome<readonly Acceptance[]>> {
  const path = trustFile(env);
  try {
    const text = readFileSync(path, "utf8");
    const parsed = text.length > maxBytes ? null : TrustFile.safeParse(JSON.parse(text)).data;
    return parsed ? succeeded(parsed.accepted) : failed(unreadable(path, "it is not what this version writes"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return succeeded([]);
    return failed(unreadable(path, causeOf(error)));
  }
}

/** Nothing is accepted by a file that nobody can read. */
const unreadable = (path: string, why: string): Failure => ({
  kind: "config",
  message: `${path} cannot be read: ${why}`,
  remedy: "mend it, or move it away: then everything is asked for again",
});

export async function isAccepted(env: Environment, root: string, hash: string): Promise<Outcome<boolean>> {
  const all = await acceptances(env);
  return all.ok ? succeeded(all.value.some((one) => one.root === root && one.hash === hash)) : all;
}

export async function keepAcceptance(env: Environment, accepted: Acceptance): Promise<Outcome<null>> {
  const all = await acceptances(env);
  if (!all.ok) return all;
  const others = all.value.filter(({ root, hash }) => root !== accepted.root || hash !== accepted.hash);
  return write(env, [...others, accepted]);
}

/** Answers those that were taken back. */
export async function dropAcceptances(
  env: Environment,
  isDropped: (one: Acceptance) => boolean,
): Promise<Outcome<readonly Acceptance[]>> {
  const all = await acceptances(env);
  if (!all.ok) return all;
  const dropped = all.value.filter(isDropped);
  const kept = all.value.filter((one) => !isDropped(one));
  const written = dropped.length === 0 ? succeeded(null) : await write(env, kept);
  return written.ok ? succeeded(dropped) : written;
}

async function write(env: Environment, accepted: readonly Acceptance[]): Promise<Outcome<null>> {
  const path = trustFile(env);
  try {
    createFolderDurably(dirname(path), 0o700);
    await writeFileAtomic(path, `${JSON.stringify({ v: 1, accepted }, null, 2)}\n`, { mode: 0o600 });
    return succeeded(null);
  } catch (error) {
    const message = `${path} cannot be written: ${causeOf(error)}`;
    return failed({ kind: "env_setup", message, remedy: "see that this user may write there" });
  }
}
