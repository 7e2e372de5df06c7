// What the user accepted, for which project: one file in the user's data (rule T). Two that write at once may lose one of
// two acceptances; then it is asked for again.
import { createUserRedactor } from "../kit/known-secrets.ts";
import { type Outcome, succeeded } from "../protocol/failure.ts";
import { type Acceptance, TrustFile } from "../protocol/trust.ts";
import { trustFile } from "./place.ts";
import type { Environment } from "./project.ts";
import { readUserFile, writeUserFile } from "./user-file.ts";

export async function acceptances(env: Environment): Promise<Outcome<readonly Acceptance[]>> {
  const read = readUserFile(trustFile(env), TrustFile);
  return read.ok ? succeeded(read.value?.accepted ?? []) : read;
}

export async function isAccepted(env: Environment, root: string, hash: string): Promise<Outcome<boolean>> {
  const all = await acceptances(env);
  return all.ok ? succeeded(all.value.some((one) => one.root === root && one.hash === hash)) : all;
}

export async function keepAcceptance(env: Environment, accepted: Acceptance): Promise<Outcome<null>> {
  const all = await acceptances(env);
  if (!all.ok) return all;
  // Accepted is what the hash says; the text is kept for people to read.
  const { redact } = createUserRedactor(env);
  const shown = { ...accepted, what: accepted.what.map(redact) };
  const others = all.value.filter(({ root, hash }) => root !== accepted.root || hash !== accepted.hash);
  return write(env, [...others, shown]);
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

const write = (env: Environment, accepted: readonly Acceptance[]): Promise<Outcome<null>> =>
  writeUserFile(trustFile(env), { v: 1, accepted });
