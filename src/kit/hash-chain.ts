// A chain of records: each hash covers the one before it, so a record changed, dropped or slipped in is found.
import { hash } from "node:crypto";

export interface Link {
  readonly position: number;
  readonly hash: string;
}
export interface Content {
  readonly at: number;
  readonly type: string;
  readonly v: number;
  readonly body: string;
}
export interface ChainedRecord extends Link, Content {}

/** What the first record follows. */
export const genesis: Link = { position: 0, hash: "0".repeat(64) };

export function append(previous: Link, { at, type, v, body }: Content): ChainedRecord {
  const position = previous.position + 1;
  return { position, at, type, v, body, hash: nextHash(previous.hash, position, { at, type, v, body }) };
}

/**
 * SHA-256 in hex over UTF-8 text that has one reading only: numbers and the previous hash hold no line break, `type`
 * carries its length (in UTF-16 units), and `body` is all the rest. The encoding is part of every stored chain.
 */
export function nextHash(previous: string, position: number, { at, type, v, body }: Content): string {
  return hash("sha256", `${previous}\n${position}\n${at}\n${v}\n${type.length}\n${type}${body}`, "hex");
}

/** The first position at which `records` do not continue the chain after `previous`, or null. */
export function firstBreak(records: Iterable<ChainedRecord>, previous: Link = genesis): number | null {
  let last = previous;
  for (const record of records) {
    const position = last.position + 1;
    if (record.position !== position || record.hash !== nextHash(last.hash, position, record)) return position;
    last = record;
  }
  return null;
}
