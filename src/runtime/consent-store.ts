// That the user agreed to work without a sandbox: per machine and reason, in the user's data, as acceptances are. Where
// there is a sandbox nobody asks; for another reason it is asked again.
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { type Outcome, succeeded } from "../protocol/failure.ts";
import { type Consent, ConsentFile } from "../protocol/sandbox.ts";
import { type Environment, trustFile } from "./place.ts";
import { readUserFile, writeUserFile } from "./user-file.ts";

export const consentFile = (env: Environment): string => join(dirname(trustFile(env)), "sandbox.json");

export async function consentsTo(env: Environment, reason: string): Promise<Outcome<boolean>> {
  const all = readConsents(env);
  return all.ok ? succeeded(all.value.some((one) => one.machine === hostname() && one.reason === reason)) : all;
}

export async function keepConsent(env: Environment, reason: string): Promise<Outcome<null>> {
  return rewrite(env, (all) => [...all, { machine: hostname(), reason, at: Date.now() }]);
}

/** Everything that was agreed to for this machine. */
export const dropConsents = (env: Environment): Promise<Outcome<null>> => rewrite(env, (all) => all);

async function rewrite(
  env: Environment,
  change: (others: readonly Consent[]) => readonly Consent[],
): Promise<Outcome<null>> {
  const all = readConsents(env);
  if (!all.ok) return all;
  const consents = change(all.value.filter(({ machine }) => machine !== hostname()));
  return writeUserFile(consentFile(env), { v: 1, consents });
}

function readConsents(env: Environment): Outcome<readonly Consent[]> {
  const read = readUserFile(consentFile(env), ConsentFile);
  return read.ok ? succeeded(read.value?.consents ?? []) : read;
}
