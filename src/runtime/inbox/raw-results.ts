// Raw results in `.harness/search_results/`: findings that the view wrote there, and what people and tools dropped.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import { inPieces } from "../../kit/pieces.ts";
import { type OpenFolder, openFolderBelow } from "../../kit/read-below.ts";
import { type InboxRecord, isTaskId } from "../../protocol/inbox.ts";
import { mostLeft } from "../../protocol/left.ts";

export interface RawResult {
  /** Byte by byte, as Latin-1. */
  readonly name: string;
  readonly changedAt: number;
  readonly record: InboxRecord;
}
export interface Untaken {
  readonly what: string;
  readonly why: string;
}
export interface RawResults {
  readonly results: readonly RawResult[];
  readonly untaken: readonly Untaken[];
}

/** Of one call: more is left for the next. */
export const mostRaw = { files: 1_000, names: 20_000, bytes: 8 * 1024 * 1024, allBytes: 64 * 1024 * 1024 };

export const processedFolder = "processed_json";

/** In the order of their names. Nothing is changed. */
export function rawResultsIn(root: string): RawResults {
  const folder = openFolderBelow(join(root, ".harness"), ["search_results"]);
  if (folder === null) return { results: [], untaken: [] };
  if ("why" in folder) return { results: [], untaken: [{ what: ".harness/search_results", why: folder.why }] };
  try {
    return resultsIn(folder);
  } finally {
    folder.close();
  }
}

function resultsIn(folder: OpenFolder): RawResults {
  const listed = folder.names(mostRaw.names);
  // A name with a dot is a file that is still being written, or nobody's result.
  const names = listed.names.filter((name) => !name.startsWith(".") && name !== processedFolder);
  const results: RawResult[] = [];
  const untaken: Untaken[] = [];
  let room = mostRaw.allBytes;
  let looked = 0;
  for (const name of names) {
    if (looked === mostRaw.files || room <= 0) break;
    looked += 1;
    const shown = oneLine(Buffer.from(name, "latin1").toString("utf8"), 200);
    const read = folder.read(name, { maxBytes: mostRaw.bytes, manyNames: true });
    if (read === null) continue;
    const text = "why" in read ? null : textOf(read.bytes);
    if ("why" in read) untaken.push({ what: shown, why: read.why });
    else if (text === null) untaken.push({ what: shown, why: "is no UTF-8 text" });
    else {
      room -= read.bytes.length;
      results.push({ name, changedAt: read.changedAt, record: recordOf(name, text, read) });
    }
  }
  const others = names.length - looked;
  if (others > 0 || listed.more)
    untaken.push({ what: `${others} more files${listed.more ? " at least" : ""}`, why: "say it again for these" });
  return { results, untaken };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    // The only error a decoder knows.
    return null;
  }
}

/** As the view of the inbox writes it. */
const header = /^# (.+)\n\nFound by the agent of ([^\s,]+), attempt \d+, (\S+Z)\. Nobody has checked it\.\n/;

function recordOf(
  name: string,
  text: string,
  { bytes, changedAt }: { readonly bytes: Uint8Array; readonly changedAt: number },
): InboxRecord {
  const shown = oneLine(Buffer.from(name, "latin1").toString("utf8"), 200);
  const [, title, task, at] = header.exec(text) ?? [];
  const told = title === undefined ? toldIn(text) : { title, task };
  return {
    v: 1,
    source: shown,
    hash: createHash("sha256").update(name, "latin1").update("\0").update(bytes).digest("hex"),
    task: isTaskId(told.task) ? told.task : null,
    title: oneLine(told.title ?? shown, 200),
    at: at ?? isoTime(Math.round(changedAt)),
    bytes: bytes.length,
    chunks: [...inPieces(text, mostLeft.finding)],
  };
}

/** What a result says of itself: a Markdown heading at its beginning, or keys of a JSON object. */
function toldIn(text: string): { readonly title?: string | undefined; readonly task?: unknown } {
  const heading = /^# (.+)$/m.exec(text.slice(0, 1_000))?.[1];
  if (!/^\s*\{/.test(text)) return { title: heading };
  try {
    const { title, query, task, task_id } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const named = [title, query].find((each) => typeof each === "string" && each.trim() !== "");
    return { title: named as string | undefined, task: task ?? task_id };
  } catch {
    // No JSON after all: then it is text.
    return { title: heading };
  }
}
