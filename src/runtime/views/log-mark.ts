// How far the log was written, kept in the state home: what makes each line appear once, whoever dies when.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isSessionCount, noSession, type SessionCount } from "../../core/views/session-count.ts";
import { writeFileAtomic } from "../../kit/atomic-file.ts";
import { unlessThere } from "./durable-file.ts";

export interface LogMark {
  /** Every line of the events up to here is in the log, apart from those of `lines` that are not there yet. */
  readonly position: number;
  readonly sessions: SessionCount;
  /** The last STATS line, without time and session. */
  readonly stats: string | null;
  /** Byte length of the log. */
  readonly length: number;
  /** Being appended after `length`. Kept as text: a title or a form that changed since must not double a line. */
  readonly lines: readonly string[];
  /** The last lines up to `position`; null when an earlier Harness, which did not keep them, wrote this. */
  readonly recent: readonly string[] | null;
}

export const recentCount = 5;
const beginning: LogMark = { position: 0, sessions: noSession, stats: null, length: 0, lines: [], recent: [] };

export function withRecent(before: LogMark["recent"], lines: readonly string[]): LogMark["recent"] {
  if (before === null && lines.length < recentCount) return null;
  return [...(before ?? []), ...lines].slice(-recentCount);
}

export const logMarkFile = (home: string): string => join(home, "views.json");

export interface MarkFile {
  load(): Promise<LogMark>;
  save(mark: LogMark): Promise<void>;
}

export const markFile = (path: string): MarkFile => ({
  async load() {
    const text = await readFile(path, "utf8").catch(unlessThere(null));
    return text === null ? beginning : parse(path, text);
  },
  save: (mark) => writeFileAtomic(path, `${JSON.stringify({ v: 1, log: mark })}\n`),
});

function parse(path: string, text: string): LogMark {
  let mark: unknown;
  try {
    mark = JSON.parse(text)?.log;
  } catch {
    mark = null;
  }
  if (isLogMark(mark)) return { ...mark, recent: mark.recent ?? null };
  // Only a hand could do this: it is replaced as a whole. Guessing would double or lose lines.
  throw new Error(`${path} is damaged; delete it to have the log written again from its beginning`);
}

function isLogMark(value: unknown): value is LogMark {
  const mark = value as Partial<Record<keyof LogMark, unknown>> | null | undefined;
  return (
    typeof mark === "object" &&
    mark !== null &&
    Number.isSafeInteger(mark.position) &&
    Number.isSafeInteger(mark.length) &&
    isSessionCount(mark.sessions) &&
    (mark.stats === null || typeof mark.stats === "string") &&
    isTexts(mark.lines) &&
    (mark.recent === undefined || mark.recent === null || isTexts(mark.recent))
  );
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === "string");
