// Finds secrets in a text, and where one may have begun that is not all there yet.
import { createKnownValues } from "./known-values.ts";
import type { SecretPattern } from "./secret-patterns.ts";
import { createSecretShapes, firstNotBefore } from "./secret-shapes.ts";

export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** What to write in its place. */
  readonly safe: string;
}

export interface SecretMatcher {
  /** At a text from one place on: it is read once, however often something is asked. */
  look(text: string, from: number): SecretLook;
}

export interface SecretLook {
  /** The first secret at or after `from`; secrets that overlap are one. */
  find(from: number): FoundSecret | null;
  /** The first place at or after `from` where more text could make a secret, or a longer one; else the end. */
  findOpen(from: number): number;
}

export const redacted = "[redacted]";

export function createSecretMatcher(values: readonly string[], patterns: readonly SecretPattern[]): SecretMatcher {
  const known = createKnownValues(values);
  const shapes = createSecretShapes(patterns);
  return {
    look(text, start) {
      const { intervals, open } = known.find(text, start);
      const shaped = shapes.look(text, start);
      const findKnown: Find = (from) => {
        const first = intervals[firstNotBefore(intervals, from)];
        return first === undefined ? null : { ...first, safe: redacted };
      };
      const findShaped = remembering((from) => {
        const found = shaped.find(from);
        return found && { start: found.start, end: found.end, safe: found.pattern.replacement ?? redacted };
      });
      const findOpen = remembering((from) => ({ start: shaped.findOpen(from) }));
      return {
        find(from) {
          const first = earlier(findKnown(from), findShaped(from));
          return first && extend(first, [findKnown, findShaped]);
        },
        findOpen: (from) => Math.min(Math.max(from, open), findOpen(from)?.start ?? text.length),
      };
    },
  };
}

type Find = (from: number) => FoundSecret | null;

/** Keeps the last answer while it is still the right one: a text full of secrets is then read once, not once for each. */
function remembering<T extends { readonly start: number }>(
  find: (from: number) => T | null,
): (from: number) => T | null {
  let last: { readonly from: number; readonly found: T | null } | null = null;
  return (from) => {
    const holds = last !== null && last.from <= from && (last.found === null || last.found.start >= from);
    if (last === null || !holds) last = { from, found: find(from) };
    return last.found;
  };
}

const earlier = (a: FoundSecret | null, b: FoundSecret | null): FoundSecret | null =>
  a === null || (b !== null && b.start < a.start) ? b : a;

/** One secret may begin inside another; then neither's end may stay behind. */
function extend(first: FoundSecret, finds: readonly Find[]): FoundSecret {
  let whole = first;
  for (let grown = true; grown; ) {
    grown = false;
    for (const find of finds) {
      for (let next = find(whole.start); next !== null && next.start < whole.end; next = find(next.start + 1)) {
        if (next.end <= whole.end) continue;
        whole = { start: whole.start, end: next.end, safe: redacted };
        grown = true;
      }
    }
  }
  return whole;
}
