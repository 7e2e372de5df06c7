// What a call of a tool is about, by its input: as the tools of Claude Code name their fields, and never relied on.
import * as z from "zod";

/** What tells most about a call, first. */
const telling = ["command", "file_path", "notebook_path", "pattern", "url", "query", "description", "skill", "path"];

/** Empty where none of its fields is known. */
export function aboutOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const fields = input as Readonly<Record<string, unknown>>;
  const told = telling.map((name) => fields[name]).find((value) => typeof value === "string" && value !== "");
  return typeof told === "string" ? told : "";
}

/** A longer one is shown by its beginning. */
const text = z.string().transform((value) => value.slice(0, 65_536));
const Replacing = z.object({ old_string: text, new_string: text });
const Changing = z.union([
  Replacing,
  z.object({ edits: z.array(Replacing).min(1) }),
  z.object({ content: text }),
  z.object({ new_source: text }),
]);
const changing = ["Edit", "MultiEdit", "NotebookEdit", "Write"];

export interface Change {
  readonly removed: string;
  readonly added: string;
}

/** What it does to a file; nothing where that cannot be told from the call. */
export function changesBy(tool: string, input: unknown): readonly Change[] {
  const asked = changing.includes(tool) ? Changing.safeParse(input).data : undefined;
  if (asked === undefined) return [];
  if ("edits" in asked) return asked.edits.map(replaced);
  if ("old_string" in asked) return [replaced(asked)];
  return [{ removed: "", added: "content" in asked ? asked.content : asked.new_source }];
}

const replaced = ({ old_string, new_string }: z.output<typeof Replacing>): Change => ({
  removed: old_string,
  added: new_string,
});
