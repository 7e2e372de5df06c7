// Reads a recorded stream back, for people.
import { oneLine } from "../../kit/escape.ts";
import type { TranscriptEvent } from "../../protocol/transcript.ts";
import { accountOf } from "./account.ts";
import { eventsOf } from "./events.ts";
import { parseLine, type ResultLine, type StreamLine } from "./stream-line.ts";
import { changesBy } from "./tool-input.ts";

const longestPrinted = 4_096;
/** It was redacted before it was recorded. */
const asItIs = (text: string): string => text;

export function readTranscript(text: string): readonly TranscriptEvent[] {
  const line = parseLine(text);
  if (line === null) {
    // What looks like a line of the stream and is none that we know was cut, or tells nothing to people.
    const isStream = text.trim() === "" || text.startsWith("{");
    return isStream ? [] : [{ type: "printed", text: text.slice(0, longestPrinted) }];
  }
  if (line.type === "result") return [conclusion(line)];
  if (line.type !== "assistant") return shown(line);
  return line.message.content.flatMap((block) => [
    ...shown({ ...line, message: { ...line.message, content: [block] } }),
    ...(block.type === "tool_use" ? changesBy(block.name, block.input) : []).map(
      (change): TranscriptEvent => ({ type: "changed", ...change }),
    ),
  ]);
}

const shown = (line: StreamLine): readonly TranscriptEvent[] =>
  eventsOf(line, asItIs).filter((event) => event.type !== "ended" && event.type !== "used");

function conclusion(result: ResultLine): TranscriptEvent {
  const ok = result.subtype === "success" && !result.is_error;
  const [why = ""] = (result.result || result.errors?.join("; ") || result.subtype).trim().split("\n", 1);
  return { type: "concluded", ok, message: ok ? "" : oneLine(why, 1_000), account: accountOf(result) };
}
