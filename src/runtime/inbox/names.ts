// What the files of one processed result are called: the same whenever it is processed, and no two results alike.
import type { InboxRecord } from "../../protocol/inbox.ts";

export interface FileNames {
  /** In `search_results/processed_json/`. */
  readonly record: string;
  /** In `search_results/processed_json/raw/`: the file as it was. */
  readonly raw: string;
  /** From `.harness/`, in order. */
  readonly research: readonly string[];
}

export const taskFolder = (task: string | null): string => task ?? "mission";

export function fileNames({
  source,
  hash,
  task,
  chunks,
}: Pick<InboxRecord, "source" | "hash" | "task" | "chunks">): FileNames {
  const dot = source.lastIndexOf(".");
  const stem = `${wordsOf(dot > 0 ? source.slice(0, dot) : source)}-${hash.slice(0, 8)}`;
  const ending = dot > 0 ? `.${wordsOf(source.slice(dot + 1)).slice(0, 10)}` : "";
  const parts = Math.max(1, chunks.length);
  const part = (n: number): string => (parts === 1 ? "" : `.part-${String(n).padStart(3, "0")}`);
  return {
    record: `${stem}.json`,
    raw: `${stem}${ending}`,
    research: Array.from({ length: parts }, (_, at) => `tasks/${taskFolder(task)}/research/${stem}${part(at + 1)}.md`),
  };
}

/** Of letters, digits, dashes and underscores, whatever the name holds. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9_]+/g, "-")
    .slice(0, 80)
    .replaceAll(/^-+|-+$/g, "") || "result";
