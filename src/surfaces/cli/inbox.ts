// `harness inbox`: raw results of research in `.harness/search_results/`, listed or processed (rule I7). To process them
// is for the user: an agent must not take out of the user's sight what lies there.
import { emptyInbox, type InboxListing, type InboxOutcome, lookIntoInbox } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import { refusalOfAgent } from "./caller.ts";
import { type Context, refuse, writeJson, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { findProject } from "./mission-access.ts";

export type InboxVerb = "list" | "process";
export interface InboxOptions {
  readonly json?: true;
}

export async function inbox(verb: InboxVerb, { json }: InboxOptions, context: Context): Promise<ExitCode> {
  const cannot = verb === "list" ? "cannot list the inbox" : "nothing was processed";
  const project = await findProject(context);
  if (!project.ok) return refuse(context, cannot, project.failure);
  if (verb === "list") {
    const listing = lookIntoInbox(project.value);
    if (json) writeJson(context.stdout, listing);
    else writeLine(context.stdout, listText(listing));
    return exitCodes.done;
  }
  const forbidden = await refusalOfAgent(context);
  if (forbidden !== null) return refuse(context, cannot, forbidden);
  const done = await emptyInbox(project.value);
  if (!done.ok) return refuse(context, cannot, done.failure);
  if (json) writeJson(context.stdout, done.value);
  else writeLine(context.stdout, processedText(done.value));
  return exitCodes.done;
}

const shown = (text: string): string => oneLine(text, 200);
const untakenLines = (untaken: InboxOutcome["untaken"]): readonly string[] =>
  untaken.map(({ what, why }) => `  not taken: ${shown(what)}: ${shown(why)}`);

function listText({ waiting, untaken, processed }: InboxListing): string {
  const lines = waiting.map(
    ({ source, task, title, bytes }) => `  ${shown(source)}  ${task ?? "no task"}  ${bytes} bytes  ${shown(title)}`,
  );
  const next = waiting.length > 0 ? ["  next: harness inbox process"] : [];
  const before = processed > 0 ? `, ${processed} processed before (.harness/research_overview.md)` : "";
  const head = waiting.length === 0 ? `Nothing is in the inbox${before}` : `${waiting.length} in the inbox${before}`;
  return [head, ...lines, ...untakenLines(untaken), ...next].join("\n");
}

function processedText({ processed, untaken }: InboxOutcome): string {
  const lines = processed.map(({ source, files: [first = "", ...more] }) => {
    const parts = more.length > 0 ? ` and ${more.length} more parts` : "";
    return `  ${shown(source)} → .harness/${first}${parts}`;
  });
  const head =
    processed.length === 0
      ? "Nothing was processed"
      : `Processed ${processed.length}; see .harness/research_overview.md`;
  return [head, ...lines, ...untakenLines(untaken)].join("\n");
}
