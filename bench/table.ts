// Rows as text: for the terminal, and for docs/performance.md.
import { isMet, type Row } from "./measure.ts";

const heads = ["Id", "Work", "Size", "Floor", "Ours", "Ratio (p10–p90)", "CPU", "Goal", "", ""] as const;

const cells = (row: Row): readonly string[] => [
  row.id,
  row.work,
  row.size,
  milliseconds(row.floorMs),
  milliseconds(row.subjectMs),
  valueText(row),
  row.cpu === undefined || row.cpu === null || Number.isNaN(row.cpu) ? "" : `${row.cpu.toFixed(2)} ×`,
  row.goal === null ? "" : `≤ ${row.goal.atMost} ${row.goal.unit ?? "×"}`,
  isMet(row) ? "met" : "MISSED",
  row.note ?? "",
];

const milliseconds = (ms: number | null): string =>
  ms === null ? "" : ms < 10 ? `${ms.toFixed(2)} ms` : `${Math.round(ms)} ms`;

function valueText({ value, p10, p90, goal }: Row): string {
  const unit = goal?.unit ?? "×";
  const spread = p10 === null || p90 === null ? "" : ` (${p10.toFixed(2)}–${p90.toFixed(2)})`;
  return `${value.toFixed(unit === "bytes" ? 0 : 2)} ${unit}${spread}`;
}

export function terminalTable(rows: readonly Row[]): string {
  const table = [heads, ...rows.map(cells)];
  const widths = heads.map((_, n) => Math.max(...table.map((line) => line[n]?.length ?? 0)));
  return table
    .map((line) =>
      line
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export const markdownTable = (rows: readonly Row[]): string =>
  [
    `| ${heads.join(" | ")} |`,
    `|${heads.map(() => "---|").join("")}`,
    ...rows.map((row) => `| ${cells(row).join(" | ")} |`),
  ].join("\n");
