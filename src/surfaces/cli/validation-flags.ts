// --validate, --quick and --timeout: how a task is judged, as it is asked for.
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Priority, Validation } from "../../protocol/task.ts";

export interface ValidationFlags {
  readonly validate?: string;
  readonly quick?: string;
  /** Seconds. */
  readonly timeout?: number;
}

/** What a terminal is asked about when no flag says it (rule K5). */
export interface AskedFlags extends ValidationFlags {
  readonly priority?: Priority;
  readonly dependsOn?: readonly string[];
}

/** An empty text takes away what is there. */
export function requestedValidation(
  { validate, quick, timeout }: ValidationFlags,
  present: Validation | null,
): Outcome<Validation | null> {
  const command = validate ?? present?.command ?? "";
  if (command === "") {
    const lonely = timeout !== undefined ? "--timeout limits" : quick !== undefined ? "--quick goes before" : null;
    if (lonely === null) return succeeded(null);
    return failed({
      kind: "usage",
      message: `${lonely} the validation, and there is none`,
      remedy: 'add --validate "command"',
    });
  }
  return succeeded({
    command,
    timeoutMs: timeout === undefined ? (present?.timeoutMs ?? 300_000) : timeout * 1_000,
    quick: quick === undefined ? (present?.quick ?? null) : quick || null,
  });
}
