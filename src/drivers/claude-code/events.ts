// A line of the stream as the events of the port; texts come out redacted and bounded.
import { oneLine } from "../../kit/escape.ts";
import type { AgentEvent } from "../../protocol/agent.ts";
import type { StreamLine } from "./stream-line.ts";
import { aboutOf } from "./tool-input.ts";

export type Redact = (text: string) => string;

const longestPiece = 65_536;
const longestDetail = 4_096;
const longestAbout = 300;

/**
 * Texts are redacted once more: a secret may be written otherwise in JSON than it is. Only the agent itself speaks;
 * what those it has sent out say is their answer to its call.
 */
export function eventsOf(line: StreamLine, redact: Redact): readonly AgentEvent[] {
  switch (line.type) {
    case "system":
      return systemEvents(line);
    case "assistant":
      return line.message.content.flatMap((block): readonly AgentEvent[] => {
        if (block.type === "text") return line.parent_tool_use_id ? [] : saidIn(redact(block.text));
        if (block.type !== "tool_use") return [];
        const { id, name, input } = block;
        const about = oneLine(redact(aboutOf(input)), longestAbout);
        return [{ type: "called", call: cut(id), tool: cut(name), about, input: detail(input, redact) }];
      });
    case "user":
      return line.message.content.flatMap((block): readonly AgentEvent[] => {
        if (block.type !== "tool_result") return [];
        const { tool_use_id: call, is_error, content } = block;
        return [{ type: "answered", call: cut(call), ok: is_error !== true, text: detail(content, redact) }];
      });
    case "rate_limit_event": {
      const { status, resetsAt, rateLimitType } = line.rate_limit_info;
      return [{ type: "limit", name: rateLimitType ?? "", status, until: resetsAt ? resetsAt * 1_000 : null }];
    }
    case "result":
      return [];
  }
}

function systemEvents(line: Extract<StreamLine, { type: "system" }>): readonly AgentEvent[] {
  if (line.subtype === "api_retry") {
    const why = [line.error, line.error_status].filter((part) => part !== null && part !== undefined).join(" ");
    return [{ type: "retried", retry: line.attempt, most: line.max_retries, delayMs: line.retry_delay_ms, why }];
  }
  if (line.subtype !== "init") return [];
  const { session_id, model, claude_code_version: version, permissionMode: permissions } = line;
  return [
    {
      type: "began",
      session: session_id ?? "",
      model: model ?? "",
      version: version ?? "",
      permissions: permissions ?? "",
    },
  ];
}

/** Whole lines, as the port asks for; a block of text is one, whether it ends like one or not. */
function saidIn(text: string): readonly AgentEvent[] {
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  const pieces: AgentEvent[] = [];
  for (let from = 0; from < whole.length; from += longestPiece)
    pieces.push({ type: "said", text: whole.slice(from, from + longestPiece) });
  return pieces;
}

const cut = (text: string): string => text.slice(0, 200);

function detail(value: unknown, redact: Redact): string {
  const plain = textOf(value);
  const text = redact(typeof plain === "string" ? plain : written(plain));
  return text.length <= longestDetail ? text : `${text.slice(0, longestDetail - 2)} …`;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // Nested so deep that it can be read, but not written again.
    return "…";
  }
}

/** A tool may answer in blocks of its own; one of text is its text. */
function textOf(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 1) return value;
  const [block] = value;
  return typeof block === "object" && block !== null && typeof block.text === "string" ? block.text : value;
}
