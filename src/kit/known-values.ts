// Finds known texts in a text: all of them in one pass, however many there are and whatever the text is (Aho–Corasick).

import { codeUnitsOf } from "./code-units.ts";

export interface Interval {
  readonly start: number;
  readonly end: number;
}

export interface FoundValues {
  /** Where one stands, in order; those that overlap are one. */
  readonly intervals: readonly Interval[];
  /** Where the text ends in a beginning of one; else the text's length. */
  readonly open: number;
}

export interface KnownValues {
  find(text: string, from: number): FoundValues;
}

/** A node of the tree of all values is a number; 0 is the root. */
interface Tree {
  /** By node × 65,536 + character. */
  readonly next: ReadonlyMap<number, number>;
  /** The node of the longest proper end of this node's text that is a beginning of a value. */
  readonly fail: Int32Array;
  readonly depth: Int32Array;
  /** Length of the longest value that ends here; 0: none. */
  readonly longest: Int32Array;
  /** Whether two characters begin a value, by their low bytes: most places of a text are passed over by this alone. */
  readonly begins: Uint8Array;
}

const width = 65_536;

export function createKnownValues(values: readonly string[]): KnownValues {
  const tree = plant(values);
  return {
    find: (text, from) => (values.length === 0 ? { intervals: [], open: text.length } : scan(tree, text, from)),
  };
}

function scan({ next, fail, depth, longest, begins }: Tree, text: string, from: number): FoundValues {
  const intervals: { start: number; end: number }[] = [];
  const units = codeUnitsOf(text);
  const last = text.length - 1;
  let node = 0;
  for (let at = from; at <= last; at++) {
    if (node === 0) {
      while (at < last && begins[(((units[at] ?? 0) & 255) << 8) | ((units[at + 1] ?? 0) & 255)] === 0) at += 1;
    }
    const code = units[at] ?? 0;
    let found = next.get(node * width + code);
    while (found === undefined && node !== 0) {
      node = fail[node] ?? 0;
      found = next.get(node * width + code);
    }
    node = found ?? 0;
    const length = longest[node] ?? 0;
    if (length > 0) add(intervals, at + 1 - length, at + 1);
  }
  return { intervals, open: text.length - (depth[node] ?? 0) };
}

/** Ends only grow; a start may lie before the last one's. */
function add(intervals: { start: number; end: number }[], start: number, end: number): void {
  let whole = start;
  for (let last = intervals.at(-1); last !== undefined && last.end > whole; last = intervals.at(-1)) {
    whole = Math.min(whole, last.start);
    intervals.pop();
  }
  intervals.push({ start: whole, end });
}

function plant(values: readonly string[]): Tree {
  const next = new Map<number, number>();
  const parents: number[] = [-1];
  const codes: number[] = [0];
  const depth: number[] = [0];
  const longest: number[] = [0];
  const begins = new Uint8Array(width);
  for (const value of values) {
    begins[((value.charCodeAt(0) & 255) << 8) | (value.charCodeAt(1) & 255)] = 1;
    let node = 0;
    for (let at = 0; at < value.length; at++) {
      const key = node * width + value.charCodeAt(at);
      let child = next.get(key);
      if (child === undefined) {
        child = parents.length;
        parents.push(node);
        codes.push(value.charCodeAt(at));
        depth.push(at + 1);
        longest.push(0);
        next.set(key, child);
      }
      node = child;
    }
    longest[node] = value.length;
  }
  const fail = new Int32Array(parents.length);
  // Shorter texts first: each rests on those before it.
  const byDepth = parents.map((_, node) => node).sort((a, b) => (depth[a] ?? 0) - (depth[b] ?? 0));
  for (const node of byDepth) {
    if ((depth[node] ?? 0) < 2) continue;
    const code = codes[node] ?? 0;
    let end = fail[parents[node] ?? 0] ?? 0;
    while (end !== 0 && !next.has(end * width + code)) end = fail[end] ?? 0;
    fail[node] = next.get(end * width + code) ?? 0;
    longest[node] = Math.max(longest[node] ?? 0, longest[fail[node] ?? 0] ?? 0);
  }
  return { next, fail, depth: Int32Array.from(depth), longest: Int32Array.from(longest), begins };
}
