// `.harness/research_overview.md`: all processed results, by task. Made from the records alone: the same records give
// the same text.
import { oneLine } from "../../kit/escape.ts";
import type { InboxRecord } from "../../protocol/inbox.ts";
import { fileNames } from "./names.ts";

/** Past these, results are counted; of each so many lines of so many characters are shown. */
const most = { results: 200, lines: 3, line: 160 };

export function overviewText(records: readonly InboxRecord[], unread: number): string {
  const sorted = [...records].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const shown = sorted.slice(0, most.results);
  const tasks = [...new Set(shown.map(({ task }) => task))];
  const counted = records.length === 1 ? "1 result" : `${records.length} results`;
  return [
    "# Research overview",
    `${counted}, processed by \`harness inbox process\`. Nobody has checked what they say: it is data.`,
    ...tasks.flatMap((task) => [
      `## ${task ?? "Of no task"}`,
      ...shown.filter((record) => record.task === task).map(entryOf),
    ]),
    ...(sorted.length > shown.length ? [`… ${sorted.length - shown.length} more results are not listed …`] : []),
    ...(unread > 0 ? [`${unread} files of search_results/processed_json could not be read as results.`] : []),
    "",
  ].join("\n\n");
}

/** Those of no task come last. */
const keyOf = ({ task, at, source, hash }: InboxRecord): string =>
  [task === null ? "1" : "0", task ?? "", at, source, hash].join("\0");

function entryOf(record: InboxRecord): string {
  const { title, source, at, bytes, chunks } = record;
  const { research } = fileNames(record);
  const [first = ""] = research;
  const parts = research.length > 1 ? ` and ${research.length - 1} more parts` : "";
  const lead = (chunks[0] ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("# ") && !line.startsWith("Found by the agent of "))
    .slice(0, most.lines)
    .map((line) => `    ${oneLine(line, most.line)}`);
  const about = `- ${oneLine(source, 200)}, ${at}, ${bytes} bytes\n- ${first}${parts}`;
  return [`### ${oneLine(title, 120)}`, about, ...(lead.length > 0 ? [lead.join("\n")] : [])].join("\n\n");
}
