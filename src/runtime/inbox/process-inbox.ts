// Takes raw results out of the inbox: a record, the text for those who read it, and only then the file itself is moved
// aside. Killed anywhere, the file is still there, and the same again makes the same files: nothing is lost or doubled.
import { lstat, rename } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../../kit/atomic-file.ts";
import { oneLine } from "../../kit/escape.ts";
import { causeOf } from "../../kit/file-error.ts";
import { openFolderBelow } from "../../kit/read-below.ts";
import { type InboxRecord, readInboxRecord } from "../../protocol/inbox.ts";
import { syncFolder } from "../views/durable-file.ts";
import { plainFolder } from "../views/plain-folder.ts";
import { fileNames, taskFolder } from "./names.ts";
import { overviewText } from "./overview.ts";
import { mostRaw, processedFolder, type RawResult, rawResultsIn, type Untaken } from "./raw-results.ts";

export interface Processed {
  readonly source: string;
  readonly task: string | null;
  readonly title: string;
  readonly bytes: number;
  /** From `.harness/`. */
  readonly files: readonly string[];
}
export interface InboxOutcome {
  readonly processed: readonly Processed[];
  readonly untaken: readonly Untaken[];
}

const plain = { mode: 0o644 };
/** A record repeats its text with marks; beyond this it is none of ours. */
const longestRecord = mostRaw.bytes * 4;
const mostRecords = 2_000;

/** Must not be called by two at once. */
export async function processInbox(root: string): Promise<InboxOutcome> {
  const { results, untaken } = rawResultsIn(root);
  const processed: Processed[] = [];
  const refused: Untaken[] = [...untaken];
  for (const raw of results) {
    try {
      const files = await takeOut(root, raw);
      const { source, task, title, bytes } = raw.record;
      if (files !== null) processed.push({ source, task, title, bytes, files });
      else refused.push({ what: source, why: "was changed meanwhile: say it again" });
    } catch (error) {
      // A link or a folder in the way of one result is no reason to leave the others.
      refused.push({ what: raw.record.source, why: oneLine(causeOf(error), 400) });
    }
  }
  await writeOverview(root);
  return { processed, untaken: refused };
}

/** The files that were made of it; null when it is not the file any more that was read. */
async function takeOut(root: string, { name, changedAt, record }: RawResult): Promise<readonly string[] | null> {
  const names = fileNames(record);
  const done = await plainFolder(root, "search_results", processedFolder);
  const raws = await plainFolder(root, "search_results", processedFolder, "raw");
  const inbox = join(done, "..");
  await writeFileAtomic(join(done, names.record), `${JSON.stringify(record, null, 2)}\n`, plain);
  await plainFolder(root, "tasks", taskFolder(record.task), "research");
  for (const [at, path] of names.research.entries())
    await writeFileAtomic(join(root, ".harness", path), partText(record, at), plain);
  const from = Buffer.concat([Buffer.from(`${inbox}/`), Buffer.from(name, "latin1")]);
  if ((await lstat(from)).ctimeMs !== changedAt) return null;
  await rename(from, join(raws, names.raw));
  for (const folder of [raws, inbox]) await syncFolder(folder);
  return names.research;
}

function partText({ title, source, task, at, chunks }: InboxRecord, nth: number): string {
  const part = chunks.length > 1 ? `, part ${nth + 1} of ${chunks.length}` : "";
  const of = task === null ? "" : ` of ${task}`;
  return `# ${title}${part}\n\nFrom ${source}${of}, ${at}. Nobody has checked it.\n\n${chunks[nth] ?? ""}\n`;
}

async function writeOverview(root: string): Promise<void> {
  const { records, unread } = recordsIn(root);
  if (records.length + unread === 0) return;
  const text = overviewText(records, unread);
  await writeFileAtomic(join(root, ".harness", "research_overview.md"), text, plain);
}

export function recordsIn(root: string): { readonly records: readonly InboxRecord[]; readonly unread: number } {
  const folder = openFolderBelow(join(root, ".harness"), ["search_results", processedFolder]);
  if (folder === null || "why" in folder) return { records: [], unread: 0 };
  try {
    const listed = folder.names(mostRaw.names).names.filter((name) => /^[^.].*\.json$/.test(name));
    const names = listed.slice(0, mostRecords);
    const records = names.flatMap((name) => {
      const read = folder.read(name, { maxBytes: longestRecord, manyNames: true });
      const record = read === null || "why" in read ? null : readInboxRecord(read.bytes.toString("utf8"));
      return record === null ? [] : [record];
    });
    return { records, unread: listed.length - records.length };
  } finally {
    folder.close();
  }
}
