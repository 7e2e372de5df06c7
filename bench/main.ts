// Runs the measurements one after another, prints the table and keeps the figures in bench/results.json.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { cold } from "./m2-cold.ts";
import { plan } from "./m4-plan.ts";
import { runTransitions, transition } from "./m5-transition.ts";
import { resume } from "./m6-resume.ts";
import { lanes } from "./m7-lanes.ts";
import { slot } from "./m7-slot.ts";
import { output, runReader } from "./m8-output.ts";
import { prompt } from "./m10-prompt.ts";
import { isMet, type Row } from "./measure.ts";
import { markdownTable, terminalTable } from "./table.ts";

const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? "?"}, ${process.platform}, Node ${process.version}`;
const measurements = [cold, plan, transition, resume, slot, lanes, output, prompt];

async function main(): Promise<void> {
  const [first, path = "", count = "", ...more] = process.argv.slice(2);
  if (first === "--read") return runReader(path, count, more[0] ?? "", Number(more[1]));
  if (first === "--transitions") return runTransitions(path, Number(count));
  const quick = process.argv.includes("--quick");
  const only = process.env.HARNESS_BENCH_ONLY?.split(",").map((id) => id.trim());
  const chosen = measurements.filter(({ id }) => only === undefined || only.includes(id));
  if (chosen.length === 0)
    throw new Error(`HARNESS_BENCH_ONLY names none of ${measurements.map(({ id }) => id).join(", ")}`);
  const folder = mkdtempSync(join(tmpdir(), "harness-bench-"));
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const rows: Row[] = [];
  try {
    for (const { run } of chosen) {
      rows.push(...(await run({ quick, folder, say })));
      // Kept as they come: what follows may take long, and somebody may end it.
      keep(rows, quick);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  print(rows);
}

function keep(rows: readonly Row[], quick: boolean): void {
  const results = { machine, quick, rows: rows.map((row) => ({ ...row, met: isMet(row) })) };
  writeFileSync(join(import.meta.dirname, "../results.json"), `${JSON.stringify(results, null, 2)}\n`);
}

function print(rows: readonly Row[]): void {
  const missed = rows.filter((row) => !isMet(row)).length;
  console.log(`\n${terminalTable(rows)}\n\n${machine}\n${rows.length - missed} met, ${missed} missed`);
  if (process.argv.includes("--docs")) writeDocs(rows);
}

const [begin, end] = ["<!-- written by npm run bench -- --docs: begin -->", "<!-- end -->"];

function writeDocs(rows: readonly Row[]): void {
  const path = join(import.meta.dirname, "../../docs/performance.md");
  const text = readFileSync(path, "utf8");
  const [before, after] = [text.split(begin)[0] ?? "", text.split(end)[1] ?? ""];
  writeFileSync(
    path,
    `${before}${begin}\n\n${machine}; other work on the machine.\n\n${markdownTable(rows)}\n\n${end}${after}`,
  );
}

await main();
