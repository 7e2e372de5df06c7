// Finds what looks like a secret. Every shape begins with one of a few fixed texts, so a text is passed over once, two
// characters at a time, and only where such a beginning stands the shapes themselves are tried: from there and nowhere
// else. Runs that two beginnings of one shape could share do not exist (each excludes what is before it), so no text is
// read more than a few times, whoever wrote it.
import { codeUnitsOf } from "./code-units.ts";
import type { SecretPattern } from "./secret-patterns.ts";

export interface FoundShape {
  readonly start: number;
  readonly end: number;
  readonly pattern: SecretPattern;
}

export interface ShapeLook {
  /** The first whole one at or after `from`. */
  find(from: number): FoundShape | null;
  /** The first place at or after `from` whence the text's end may be the beginning of one, or of a longer one. */
  findOpen(from: number): number;
}

export interface SecretShapes {
  look(text: string, from: number): ShapeLook;
}

/** One beginning of one pattern. */
interface Beginning {
  readonly text: string;
  readonly pattern: SecretPattern;
  readonly whole: RegExp;
  readonly open: RegExp;
}
interface Place {
  readonly start: number;
  readonly beginning: Beginning;
}

const width = 128;

export function createSecretShapes(patterns: readonly SecretPattern[]): SecretShapes {
  const beginnings = patterns.flatMap((pattern): Beginning[] => {
    const whole = new RegExp(pattern.whole, "y");
    const open = new RegExp(`(?:${pattern.open})$`, "y");
    return pattern.begins.map((text) => ({ text, pattern, whole, open }));
  });
  const longest = beginnings.reduce((most, { text }) => Math.max(most, text.length), 0);
  const byPair = new Map<number, readonly Beginning[]>();
  const isPair = new Uint8Array(width * width);
  for (const beginning of beginnings) {
    const pair = beginning.text.charCodeAt(0) * width + beginning.text.charCodeAt(1);
    byPair.set(pair, [...(byPair.get(pair) ?? []), beginning]);
    isPair[pair] = 1;
  }

  /** In the order of their places, and at one place in the order of the patterns. */
  const placesIn = (text: string, from: number): readonly Place[] => {
    const places: Place[] = [];
    const units = codeUnitsOf(text);
    const last = text.length - 1;
    for (let at = from; at < last; at += 1) {
      const first = units[at] ?? width;
      const second = units[at + 1] ?? width;
      if (first >= width || second >= width || isPair[first * width + second] === 0) continue;
      for (const beginning of byPair.get(first * width + second) ?? [])
        if (text.startsWith(beginning.text, at)) places.push({ start: at, beginning });
    }
    return places;
  };
  /** The end of the text as a part of a beginning. */
  const partIn = (text: string, from: number): number => {
    for (let at = Math.max(from, text.length - longest + 1); at < text.length; at += 1) {
      const rest = text.slice(at);
      if (beginnings.some((each) => each.text.startsWith(rest) && matches(each.open, text, at))) return at;
    }
    return text.length;
  };
  return {
    look(text, start) {
      const places = placesIn(text, start);
      return {
        find(from) {
          for (let index = firstNotBefore(places, from); index < places.length; index += 1) {
            const { start, beginning } = places[index] as Place;
            const { whole, pattern } = beginning;
            if (matches(whole, text, start)) return { start, end: whole.lastIndex, pattern };
          }
          return null;
        },
        findOpen(from) {
          for (let index = firstNotBefore(places, from); index < places.length; index += 1) {
            const { start, beginning } = places[index] as Place;
            if (matches(beginning.open, text, start)) return start;
          }
          return partIn(text, from);
        },
      };
    },
  };
}

/** `pattern` is sticky, and tells by its `lastIndex` how far it came. */
function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Where in an ordered list the first is that does not begin before. */
export function firstNotBefore(places: readonly { readonly start: number }[], from: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.start ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
