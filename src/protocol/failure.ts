// Expected bad outcomes, as data. What is done about each kind is the remedy table in core/remedies.ts.
import * as z from "zod";

/** The log's closed list of categories (rule N1). */
export const Category = z.enum([
  "ENV_SETUP",
  "CONFIG",
  "TASK_EXEC",
  "TEST_FAIL",
  "TIMEOUT",
  "DEPENDENCY",
  "SESSION_TIMEOUT",
]);
export type Category = z.infer<typeof Category>;

export const FailureKind = z.enum([
  "env_setup",
  "config",
  "task_exec",
  "test_fail",
  "timeout",
  "dependency",
  "session_timeout",
  "auth",
  "merge_conflict",
  /** Conflict markers were left where an iteration was to repair them. */
  "unresolved",
  "iterations_used_up",
  /** Its iterations went in circles: no further one would have come to anything else. */
  "stuck",
  /** A program used more memory or processes than it may. */
  "resources",
  /** Less disk is free than must stay free. */
  "machine_full",
  "denied",
  "trust",
  /** Asked for wrongly: nothing is broken, and nothing was done. */
  "usage",
  "cancelled",
  /** What only time mends: of the provider, its service, or the way to it. They stop a run that has waited long enough. */
  "usage_limit",
  "overloaded",
  "rate_limited",
  "network",
]);
export type FailureKind = z.infer<typeof FailureKind>;

export const Failure = z.object({
  kind: FailureKind,
  /** What happened, to which thing, in one line. */
  message: z.string().max(4_000),
  /** What the reader can do next, in one line. */
  remedy: z.string().max(1_000).optional(),
  /** Quoted output that shows it; already redacted and bounded. */
  evidence: z.string().max(16_000).optional(),
});
export type Failure = z.infer<typeof Failure>;

const categories: Record<FailureKind, Category> = {
  env_setup: "ENV_SETUP",
  config: "CONFIG",
  task_exec: "TASK_EXEC",
  test_fail: "TEST_FAIL",
  timeout: "TIMEOUT",
  dependency: "DEPENDENCY",
  session_timeout: "SESSION_TIMEOUT",
  auth: "ENV_SETUP",
  merge_conflict: "TASK_EXEC",
  unresolved: "TASK_EXEC",
  iterations_used_up: "TASK_EXEC",
  stuck: "TASK_EXEC",
  resources: "TASK_EXEC",
  machine_full: "ENV_SETUP",
  denied: "TASK_EXEC",
  trust: "CONFIG",
  usage: "CONFIG",
  cancelled: "TASK_EXEC",
  usage_limit: "ENV_SETUP",
  overloaded: "ENV_SETUP",
  rate_limited: "ENV_SETUP",
  network: "ENV_SETUP",
};
/** The kind that stands for a category as such. */
export const kindOf = (category: Category): FailureKind => FailureKind.parse(category.toLowerCase());
export const categoryOf = (kind: FailureKind): Category => categories[kind];

/** Either a value or a failure; used by every port so that expected trouble never travels as a throw. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };
export const succeeded = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failed = (failure: Failure): Outcome<never> => ({ ok: false, failure });
