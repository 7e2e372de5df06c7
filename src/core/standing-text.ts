// Where the work of the iteration before stands, for one that begins with an empty context and was left no handoff.
import { oneLine } from "../kit/escape.ts";
import type { Standing } from "../protocol/standing.ts";
import type { ReadonlyAttempt, ReadonlyTask } from "./state.ts";

const longest = { path: 200, words: 200 };

/** Who handed off said it better. */
export function standingText({ handoff }: ReadonlyTask, { number, standing }: ReadonlyAttempt): string {
  if (standing === null) return "";
  const isHandedOff = handoff?.attempt === number && handoff.iteration === standing.iteration;
  const parts = isHandedOff ? [] : [changedText(standing), commitsText(standing), ...standing.lists.map(listText)];
  const said = parts.filter((part) => part !== "");
  return said.length === 0 ? "" : `## Where the work stands\n\n${said.join("\n\n")}`;
}

type Seen = Pick<Standing, "changed" | "commits"> | NonNullable<ReadonlyAttempt["standing"]>;

/** Names and words are the agent's: indented, each on a line of its own, so that nothing in them reads as ours. */
const listed = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join("\n");

function changedText({ changed: { files, added, removed, most } }: Seen): string {
  if (files === 0) return "No file differs from where this attempt began.";
  const lines = most.map(
    ({ path, added, removed }) =>
      `${oneLine(path, longest.path)} ${added === null ? "(not lines)" : `+${added} -${removed}`}`,
  );
  const more = files > most.length ? [`… ${files - most.length} more`] : [];
  const [file, differs] = files === 1 ? ["file", "differs"] : ["files", "differ"];
  return `${files} ${file} ${differs} from where this attempt began (+${added} -${removed}):\n\n${listed([...lines, ...more])}`;
}

const commitsText = ({ commits }: Seen): string =>
  commits.length === 0
    ? ""
    : `Its commits, newest first:\n\n${listed(commits.map((subject) => oneLine(subject, longest.words)))}`;

function listText({ path, done, open, next }: NonNullable<ReadonlyAttempt["standing"]>["lists"][number]): string {
  const first = next.map((item) => `- [ ] ${oneLine(item, longest.words)}`);
  const head = `\`${oneLine(path, longest.path).replaceAll("`", "'")}\`: ${done} of ${done + open} done`;
  return first.length === 0 ? `${head}.` : `${head}; first of what is open:\n\n${listed(first)}`;
}
