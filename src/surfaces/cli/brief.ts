// `harness brief`: what the agent of a task would be given now, and how much of it is what; takes no lock.
import { oneLine } from "../../kit/escape.ts";
import type { NextBrief } from "../../runtime/next-brief.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { withMission } from "./mission-access.ts";

export interface BriefOptions {
  readonly json?: true;
}

export async function brief(task: string, options: BriefOptions, context: Context): Promise<ExitCode> {
  const found = await withMission(context, (mission) => mission.brief(task));
  if (!found.ok) return refuse(context, "cannot show the brief", found.failure);
  const { iteration, parts } = found.value;
  if (options.json) {
    const sized = parts.map(({ name, text }) => ({ name, characters: text.length, text }));
    writeJson(context.stdout, { task, iteration, characters: length(found.value), parts: sized });
  } else {
    writeLine(context.stdout, parts.map(({ text }) => harmless(text)).join("\n\n"));
    writeLine(context.stderr, sizesText(found.value));
  }
  return exitCodes.done;
}

/** Words of agents and of strangers are in it: nothing in them can act on the terminal. `--json` has it as it is. */
const harmless = (text: string): string =>
  text
    .split("\n")
    .map((line) => oneLine(line, Number.POSITIVE_INFINITY))
    .join("\n");

const length = ({ parts }: NextBrief): number => parts.reduce((sum, { text }) => sum + text.length, 0);

function sizesText(next: NextBrief): string {
  const width = Math.max(...next.parts.map(({ name }) => name.length));
  const lines = next.parts.map(({ name, text }) => `  ${name.padEnd(width)}  ${String(text.length).padStart(6)}`);
  return [`\niteration ${next.iteration}, ${length(next)} characters:`, ...lines].join("\n");
}
