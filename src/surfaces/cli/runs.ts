// `harness runs`: every run there was, what it worked on, how it ended and what it cost (rule I4); takes no lock.
import { moneyText, tokensText } from "../../core/views/used.ts";
import { oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import { succeeded } from "../../protocol/failure.ts";
import type { RunRow } from "../../protocol/view.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";

export interface RunsOptions {
  readonly json?: true;
}

export async function runs(options: RunsOptions, context: Context): Promise<ExitCode> {
  const found = await withMission(context, async (mission) => succeeded(await mission.runs()));
  if (!found.ok) return refuse(context, "cannot show the runs", found.failure);
  if (options.json) writeJson(context.stdout, found.value.map(runJson));
  else if (found.value.length > 0) writeLine(context.stdout, runsText(found.value));
  else writeLine(context.stderr, "there was no run here yet: harness run");
  return exitCodes.done;
}

/** In the words that scripts know. */
const runJson = (row: RunRow): object => ({
  run_id: row.run,
  objective: row.objective,
  status: row.status,
  iteration_count: row.iterations,
  max_iterations: row.maxIterations,
  completion_promise: row.promise,
  cost_usd: row.nanoUsd / 1e9,
  tokens: row.tokens,
  unknown_cost_iterations: row.unknown,
  task: row.task,
  started_at: isoTime(row.startedAt),
  ended_at: row.endedAt === null ? null : isoTime(row.endedAt),
  lanes: row.lanes,
  sessions: row.sessions,
  settled: row.settled,
});

/** The newest last, where one looks. */
export function runsText(rows: readonly RunRow[]): string {
  const cells = rows.map((row) => [
    row.run,
    isoTime(row.startedAt).replace(/\.\d+Z$/, "Z"),
    row.status,
    `${row.iterations}${row.maxIterations === null ? "" : `/${row.maxIterations}`} ${row.iterations === 1 ? "iteration" : "iterations"}`,
    costOf(row),
    row.objective === null ? `${row.settled} settled` : `${row.task}: ${oneLine(row.objective, 60)}`,
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((cell) => cell[column]?.length ?? 0)));
  return cells.map((cell) => cell.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

function costOf({ nanoUsd, tokens, unknown }: RunRow): string {
  if (tokens === 0 && nanoUsd === 0) return unknown === 0 ? "–" : "unknown";
  return `${moneyText(nanoUsd / 1e9)}${unknown === 0 ? "" : " + unknown"}, ${tokensText(tokens)} tokens`;
}
