// Ids that end with a number, `eng-004`: which one comes next (rules K5, D1).
import type { TaskId } from "../protocol/ids.ts";
import type { PhaseName } from "../protocol/phases.ts";

/** Short names of the usual phases; any other phase is its own. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ["architecture", "arch-"],
  ["uiux", "uiux-"],
  ["engineering", "eng-"],
  ["qa", "qa-"],
]);

const prefixOf = (phase: PhaseName | null): string =>
  phase === null ? "task-" : (prefixes.get(phase.toLowerCase()) ?? `${phase}-`);

/** Kept in step with every task of the plan, so that the next id costs one look. */
export function countId(numbers: Map<string, number>, id: TaskId): void {
  const digits = id.slice(id.lastIndexOf("-") + 1);
  if (digits.length === id.length || !/^\d{1,15}$/.test(digits)) return;
  const prefix = id.slice(0, -digits.length);
  const number = Number(digits);
  if (number > (numbers.get(prefix) ?? -1)) numbers.set(prefix, number);
}

/** The highest number of its phase, and one. */
export function nextId(numbers: ReadonlyMap<string, number>, phase: PhaseName | null): TaskId {
  const prefix = prefixOf(phase);
  return `${prefix}${String((numbers.get(prefix) ?? 0) + 1).padStart(3, "0")}`;
}
