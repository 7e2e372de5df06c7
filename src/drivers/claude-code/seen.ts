// What of a stream matters for its end, folded line by line: as much after a million lines as after ten.
import type { Tokens } from "../../protocol/account.ts";
import { addTokens, noTokens, tokensOf } from "./account.ts";
import type { ResultLine, StreamLine } from "./stream-line.ts";

export interface Seen {
  readonly session: string | null;
  readonly model: string;
  /** The last one counts: a task in the background may wake the agent once more. */
  readonly result: ResultLine | null;
  /** What the agent said, in the model's place, went wrong. */
  readonly error: string | null;
  readonly limit: { readonly status: string; readonly until: number | null } | null;
  /** Has any tool been carried out that can change something? */
  readonly acted: boolean;
  /** The model answered nothing, and was told so: nothing of it came after that. */
  readonly wasSilent: boolean;
  readonly turns: number;
  readonly tokens: Tokens;
  /** Of the agent's own last request: all that it was sent and answered. Null: nothing was answered yet. */
  readonly lastRequest: number | null;
  /** Messages come block by block, each block with the counts of the whole. */
  readonly counted: readonly string[];
  /** Calls that only look, and are not answered yet. */
  readonly looking: readonly string[];
}

export const nothingSeen: Seen = {
  session: null,
  model: "",
  result: null,
  error: null,
  limit: null,
  acted: false,
  wasSilent: false,
  turns: 0,
  tokens: noTokens,
  lastRequest: null,
  counted: [],
  looking: [],
};

const lookingTools = ["Glob", "Grep", "LS", "NotebookRead", "Read", "Skill", "ToolSearch", "WebFetch", "WebSearch"];
/** More than agents have under way at a time. */
const remembered = 100;

export function see(seen: Seen, line: StreamLine): Seen {
  switch (line.type) {
    case "system":
      if (line.subtype !== "init") return seen;
      return { ...seen, session: line.session_id ?? seen.session, model: line.model ?? seen.model };
    case "assistant":
      return seeAnswer(seen, line);
    case "user":
      return seeResults(seen, line);
    case "rate_limit_event": {
      const { status, resetsAt } = line.rate_limit_info;
      return { ...seen, limit: { status, until: resetsAt ? resetsAt * 1_000 : null } };
    }
    case "result":
      return { ...seen, result: line, session: line.session_id ?? seen.session };
  }
}

function seeAnswer(
  seen: Seen,
  { message, error, parent_tool_use_id: sender }: Extract<StreamLine, { type: "assistant" }>,
): Seen {
  if (error) return { ...seen, error };
  const looks = message.content.flatMap((block) =>
    block.type === "tool_use" && lookingTools.includes(block.name) ? [block.id] : [],
  );
  const heard = { ...seen, error: null, wasSilent: false, looking: [...seen.looking, ...looks].slice(-remembered) };
  if (seen.counted.includes(message.id)) return heard;
  const used = message.usage ? tokensOf(message.usage) : null;
  return {
    ...heard,
    turns: seen.turns + 1,
    tokens: used === null ? seen.tokens : addTokens(seen.tokens, used),
    lastRequest: used === null || sender ? seen.lastRequest : used.input + used.cached + used.output,
    counted: [...seen.counted, message.id].slice(-remembered),
  };
}

function seeResults(seen: Seen, { message, isSynthetic }: Extract<StreamLine, { type: "user" }>): Seen {
  const answers = message.content.filter((block) => block.type === "tool_result");
  const answered = answers.map((block) => block.tool_use_id);
  return {
    ...seen,
    wasSilent: isSynthetic === true,
    acted: seen.acted || answers.some((block) => !block.is_error && !seen.looking.includes(block.tool_use_id)),
    looking: seen.looking.filter((id) => !answered.includes(id)),
  };
}
