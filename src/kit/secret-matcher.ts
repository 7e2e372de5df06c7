// Finds secrets in a text, and where one may have begun that is not all there yet.
import { literal, type SecretPattern } from "./secret-patterns.ts";

export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** What to write in its place. */
  readonly safe: string;
}

export interface SecretMatcher {
  /** The first secret at or after `from`; secrets that overlap are one. */
  find(text: string, from: number): FoundSecret | null;
  /** The first place at or after `from` where more text could make a secret, or a longer one; else the end. */
  findOpen(text: string, from: number): number;
}

export const redacted = "[redacted]";

/** `values` longest first: of two that begin alike the longer one is meant. */
export function createSecretMatcher(values: readonly string[], patterns: readonly SecretPattern[]): SecretMatcher {
  const known = anyOf(values.map((value) => `(?:${literal(value)})`));
  const shaped = anyOf(patterns.map((pattern) => `(${pattern.whole})`));
  const open = anyOf(patterns.map((pattern) => `(?:${pattern.open})$`));

  const findKnown = remembering((text, from) => {
    known.lastIndex = from;
    const match = known.exec(text);
    return match && { start: match.index, end: known.lastIndex, safe: redacted };
  });
  const findShaped = remembering((text, from) => {
    shaped.lastIndex = from;
    const match = shaped.exec(text);
    if (match === null) return null;
    const which = match.findIndex((group, index) => index > 0 && group !== undefined) - 1;
    return { start: match.index, end: shaped.lastIndex, safe: patterns[which]?.replacement ?? redacted };
  });
  const findOpen = remembering((text, from) => {
    open.lastIndex = from;
    let first = open.exec(text)?.index ?? text.length;
    for (const value of values) first = Math.min(first, findOpenValue(text, from, value));
    return { start: first, end: text.length, safe: redacted };
  });

  return {
    find(text, from) {
      const first = earlier(findKnown(text, from), findShaped(text, from));
      return first && extend(first, text, [findKnown, findShaped]);
    },
    findOpen: (text, from) => findOpen(text, from)?.start ?? text.length,
  };
}

type Find = (text: string, from: number) => FoundSecret | null;

/** Keeps the last answer while it is still the right one: a text full of secrets is then read once, not once for each. */
function remembering(find: Find): Find {
  let last: { readonly text: string; readonly from: number; readonly found: FoundSecret | null } | null = null;
  return (text, from) => {
    const holds = last?.text === text && last.from <= from && (last.found === null || last.found.start >= from);
    if (last === null || !holds) last = { text, from, found: find(text, from) };
    return last.found;
  };
}

const earlier = (a: FoundSecret | null, b: FoundSecret | null): FoundSecret | null =>
  a === null || (b !== null && b.start < a.start) ? b : a;

/** One secret may begin inside another; then neither's end may stay behind. */
function extend(first: FoundSecret, text: string, finds: readonly Find[]): FoundSecret {
  let whole = first;
  for (let grown = true; grown; ) {
    grown = false;
    for (const find of finds) {
      for (
        let next = find(text, whole.start);
        next !== null && next.start < whole.end;
        next = find(text, next.start + 1)
      ) {
        if (next.end <= whole.end) continue;
        whole = { start: whole.start, end: next.end, safe: redacted };
        grown = true;
      }
    }
  }
  return whole;
}

/** Without alternatives a regular expression would match everywhere. */
const anyOf = (sources: readonly string[]): RegExp =>
  new RegExp(sources.length === 0 ? "(?!)" : sources.join("|"), "g");

/** Where the text ends in a proper beginning of the value. */
function findOpenValue(text: string, from: number, value: string): number {
  const first = value.charAt(0);
  let start = text.indexOf(first, Math.max(from, text.length - value.length + 1));
  while (start !== -1 && !value.startsWith(text.slice(start))) start = text.indexOf(first, start + 1);
  return start === -1 ? text.length : start;
}
