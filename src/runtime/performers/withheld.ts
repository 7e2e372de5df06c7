// A program that fails for want of a variable names it: then the user is told that it was there, and how to pass it on.
import type { IterationEnd } from "../../protocol/agent.ts";
import type { Effect } from "../../protocol/effect.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Verdict } from "../../protocol/gate.ts";
import type { Ports } from "../ports.ts";

interface Told {
  readonly effect: Effect;
  readonly ports: Pick<Ports, "withheld">;
}

/** More would not help: something else is wrong. */
const most = 5;

export function tellWithheld(failure: Failure, { effect, ports }: Told): Failure {
  const words = new Set(`${failure.message}\n${failure.evidence ?? ""}`.match(/[A-Za-z_][A-Za-z0-9_]{2,}/g));
  const names = ports
    .withheld(effect)
    .filter((name) => words.has(name))
    .slice(0, most);
  if (names.length === 0) return failure;
  const list = names.join(", ");
  const where = effect.kind === "agent.run" ? "env.agent" : "env.pass";
  const message = `${failure.message} (not passed to it: ${list})`;
  const remedy = `if it needs ${list}: name ${names.length === 1 ? "it" : "them"} in ${where} of your configuration`;
  const { remedy: usual } = failure;
  return { ...failure, message, remedy: usual === undefined ? remedy : `${usual}; ${remedy}` };
}

export const tellWithheldEnd = (end: IterationEnd, told: Told): IterationEnd =>
  end.reason === "failed" ? { ...end, failure: tellWithheld(end.failure, told) } : end;

export const tellWithheldVerdict = (verdict: Verdict, told: Told): Verdict =>
  verdict.verdict === "pass" ? verdict : { ...verdict, failure: tellWithheld(verdict.failure, told) };
