// Appends the journal's lines to harness-progress.txt: each once, in order, never rewritten (N1, N2). The caller holds
// the lock of the views, so nobody else of us appends meanwhile; people and agents may.
import type { ReadonlyState } from "../../core/state.ts";
import { logLine, statsText } from "../../core/views/log-line.ts";
import { countSession } from "../../core/views/session-count.ts";
import { isoTime } from "../../kit/iso-time.ts";
import { decodeEvent } from "../../protocol/upgrade.ts";
import type { Placed } from "../mission.ts";
import { logFile } from "../place.ts";
import { type AppendFile, openAppendFile } from "./append-file.ts";
import { type LogMark, logMarkFile, type MarkFile, markFile, withRecent } from "./log-mark.ts";
import type { ViewSource } from "./view-source.ts";

const page = 1_000;
/** Room for what others may have appended between our look at the size and our write. */
const strangersBytes = 65_536;

export interface LogViewOptions {
  readonly root: string;
  readonly home: string;
  /** Parts that tests break. */
  readonly open?: (path: string) => Promise<AppendFile>;
  readonly marks?: MarkFile;
}

export class LogView {
  readonly #path: string;
  readonly #open: (path: string) => Promise<AppendFile>;
  readonly #marks: MarkFile;
  /** What we left in the state home, and how far events without a line were passed since. */
  #left: { readonly saved: LogMark; readonly now: LogMark } | null = null;

  constructor({ root, home, open = openAppendFile, marks = markFile(logMarkFile(home)) }: LogViewOptions) {
    this.#path = logFile(root);
    this.#open = open;
    this.#marks = marks;
  }

  /** Brings the log to the journal's head. After a failure nothing is lost or doubled: call it again. */
  async advance(source: ViewSource): Promise<LogMark> {
    const saved = await this.#marks.load();
    // Unless another process wrote since, we know better how far we came.
    const known = this.#left !== null && sameMark(saved, this.#left.saved) ? this.#left.now : saved;
    this.#left = null;
    const file = await this.#open(this.#path);
    try {
      let mark = await this.#complete(file, known, source);
      let unsaved = known.lines.length > 0 || mark !== known;
      for (;;) {
        const stored = await source.read(mark.position, page);
        if (stored.length === 0) break;
        const events = stored.map((kept) => ({ position: kept.position, event: decodeEvent(kept) }));
        const { next, lines } = await source.look((state) => render(mark, events, state));
        mark = lines.length === 0 ? next : await this.#append(file, next, lines);
        unsaved ||= lines.length > 0;
      }
      // A position alone is saved only now and then: passing events without a line again costs little.
      unsaved ||= mark.position - saved.position >= page;
      if (unsaved) await this.#marks.save(mark);
      this.#left = { saved: unsaved ? mark : saved, now: mark };
      return mark;
    } finally {
      await file.close();
    }
  }

  /** Finishes what a dead process began, and notes a log that somebody made shorter. */
  async #complete(file: AppendFile, mark: LogMark, source: ViewSource): Promise<LogMark> {
    const size = await file.size();
    if (size < mark.length) {
      const number = mark.sessions.phase === "open" ? mark.sessions.counted : mark.sessions.counted + 1;
      const time = await timeOf(mark, source);
      const note = `[${time}] [SESSION-${number}] WARN harness-progress.txt was shortened by somebody else`;
      return this.#append(file, mark, [note, ...mark.lines]);
    }
    if (mark.lines.length === 0) return mark;
    const bytes = mark.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 1);
    const tail = await readFilled(file, mark.length, bytes + strangersBytes);
    const missing = mark.lines.slice(presentLines(tail, mark.lines));
    if (missing.length > 0) return this.#append(file, mark, missing);
    if (await isTorn(file, await file.size())) await file.append("\n");
    // They may be there and not be durable.
    await file.sync();
    return { ...mark, length: await file.size(), lines: [] };
  }

  /** Says what is going to be appended, then appends it. */
  async #append(file: AppendFile, mark: LogMark, lines: readonly string[]): Promise<LogMark> {
    const length = await file.size();
    await this.#marks.save({ ...mark, length, lines });
    await file.append(`${(await isTorn(file, length)) ? "\n" : ""}${lines.join("\n")}\n`);
    await file.sync();
    return { ...mark, length: await file.size(), lines: [] };
  }
}

/** After a power cut a file may have the length of what was appended, but zeros for its content: those are cut off. */
async function readFilled(file: AppendFile, offset: number, length: number): Promise<string> {
  const found = await file.read(offset, length);
  const filled = found.findLastIndex((byte) => byte !== 0) + 1;
  if (filled < found.length) await file.cut(offset + found.length, offset + filled);
  return found.subarray(0, filled).toString();
}

/** The journal's, of the line that comes next or came last: no line may go back behind another (PR-19). */
async function timeOf({ position, lines: [next] }: LogMark, source: ViewSource): Promise<string> {
  const told = /^\[(\S+)\]/.exec(next ?? "")?.[1];
  if (told !== undefined) return told;
  const [last] = await source.read(position - 1, 1);
  return isoTime(last?.at ?? 0);
}

const isTorn = async (file: AppendFile, size: number): Promise<boolean> =>
  size > 0 && (await file.read(size - 1, 1)).toString() !== "\n";

/** What the events that follow a mark add to the log. */
export function render(mark: LogMark, events: readonly Placed[], state: ReadonlyState) {
  const lines: string[] = [];
  let { position, sessions, stats } = mark;
  const titleOf = (task: string): string => state.tasks.get(task)?.spec.title ?? "";
  for (const { position: at, event } of events) {
    const { number, after } = countSession(sessions, event);
    position = at;
    sessions = after;
    if (event.type === "session.ended") stats = statsText(event.stats);
    const line = logLine(event, { session: number, titleOf });
    if (line !== null) lines.push(line);
  }
  return { next: { ...mark, position, sessions, stats, recent: withRecent(mark.recent, lines) }, lines };
}

/** How many of the lines, from the first one on, are in the tail whole and in order; a missing newline is no harm. */
function presentLines(tail: string, lines: readonly string[]): number {
  let present = 0;
  for (const piece of tail.split("\n")) {
    const line = lines[present];
    // Not equality: a stranger's unfinished line may stand before ours.
    if (line !== undefined && piece.endsWith(line)) present += 1;
  }
  return present;
}

const sameMark = (a: LogMark, b: LogMark): boolean => JSON.stringify(a) === JSON.stringify(b);
