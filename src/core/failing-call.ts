// Notices when an agent makes the same call again and again, and it fails in the same way each time (rule B4).
import { oneLine } from "../kit/escape.ts";
import type { AgentEvent } from "../protocol/agent.ts";
import { sameWords } from "./same-words.ts";

/** The fourth in a row is one too many: three may be a server that is still starting. */
export const mostFailures = 4;

/** Calls that are not answered yet; more than agents have under way at a time. */
const remembered = 100;

interface Call {
  readonly tool: string;
  readonly about: string;
  readonly input: string;
}

export interface CallsSeen {
  readonly open: ReadonlyMap<string, Call>;
  /** The last answer, if it was an error, and how many in a row were the same. */
  readonly failing: { readonly call: Call; readonly text: string; readonly times: number } | null;
}
export const noCalls: CallsSeen = { open: new Map(), failing: null };

export function seeCall({ open, failing }: CallsSeen, event: AgentEvent): CallsSeen {
  if (event.type === "called") {
    const { call, tool, about, input } = event;
    return { open: new Map([...open].slice(1 - remembered)).set(call, { tool, about, input }), failing };
  }
  if (event.type !== "answered") return { open, failing };
  const call = open.get(event.call);
  const rest = new Map([...open].filter(([id]) => id !== event.call));
  if (event.ok || call === undefined) return { open: rest, failing: null };
  const { text } = event;
  const isSame =
    failing !== null &&
    failing.call.tool === call.tool &&
    failing.call.input === call.input &&
    sameWords(failing.text, text);
  return { open: rest, failing: { call, text, times: isSame ? failing.times + 1 : 1 } };
}

/** What to say when it is enough; null: it is not. */
export function keepsFailing({ failing }: CallsSeen): string | null {
  if (failing === null || failing.times < mostFailures) return null;
  const { call, text, times } = failing;
  const what = oneLine(`${call.tool} ${call.about}`.trim(), 300);
  return `the same call failed ${times} times in a row: ${what}: ${oneLine(text.trim(), 1_000)}`;
}
