// Work that was set aside, as text and as data.
import type { PutAway, ShownFile } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import { shortCommit } from "../../protocol/ids.ts";

export const rescueRow = (of: PutAway) => ({
  name: of.name,
  task: of.task,
  attempt: of.attempt,
  at: of.at === 0 ? null : isoTime(of.at),
  why: of.why,
  kind: of.kind,
  base: of.base,
  entries: of.kind === "rescue" ? of.entries : null,
  bytes: of.kind === "rescue" ? of.bytes : null,
  where: of.where,
});

export function listText(all: readonly PutAway[]): string {
  if (all.length === 0) return "Nothing was set aside.";
  const width = Math.max(...all.map(({ name }) => name.length));
  return all
    .map((one) => `${one.name.padEnd(width)}  ${whenText(one)}  ${sizeText(one)}  ${oneLine(one.why, 200)}`.trimEnd())
    .join("\n");
}

const whenText = ({ at }: PutAway): string => (at === 0 ? "unknown".padEnd(24) : isoTime(at));

const sizeText = (of: PutAway): string =>
  of.kind === "archive" ? "kept whole" : `${of.entries} entries, ${bytesText(of.bytes)}`;

function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [unit, by] =
    bytes < 1_000_000 ? ["kB", 1_000] : bytes < 1_000_000_000 ? ["MB", 1_000_000] : ["GB", 1_000_000_000];
  return `${(bytes / by).toFixed(1)} ${unit}`;
}

const marks = { added: "A", changed: "M", removed: "D", other: "?" };
/** The rest is one restore away. */
const shownAtMost = 200;

export function showText(of: PutAway, files: readonly ShownFile[] | null): string {
  const rows = files ?? [];
  return [
    `rescue  ${of.name}`,
    `when    ${whenText(of).trimEnd()}`,
    ...(of.why === "" ? [] : [`why     ${oneLine(of.why)}`]),
    ...(of.base === null ? [] : [`base    ${shortCommit(of.base)}`]),
    `size    ${sizeText(of)}`,
    `where   ${of.where}${of.kind === "rescue" ? `, and commit ${shortCommit(of.commit)} of rescue.git beside the vault` : ""}`,
    ...(of.kind === "archive" && of.whole !== ""
      ? [`whole   the directory itself was kept: ${oneLine(of.whole)}`]
      : []),
    ...rows.slice(0, shownAtMost).map(fileText),
    ...(rows.length > shownAtMost ? [`  … and ${rows.length - shownAtMost} more`] : []),
    `  next: harness rescue restore ${of.name}`,
  ].join("\n");
}

const fileText = ({ path, status, size, kept }: ShownFile): string =>
  `  ${marks[status]} ${oneLine(path)}${kept === "vault" ? ` (${bytesText(size)}, in the vault)` : ""}`;
