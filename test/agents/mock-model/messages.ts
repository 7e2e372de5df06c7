// The answers of the Anthropic Messages API, as a stream of events or as one message.
import type { ServerResponse } from "node:http";
import type { Answer } from "./scenario.ts";

export interface Asked {
  readonly model: string;
  readonly stream: boolean;
  /** Which request of the server it is: makes ids. */
  readonly number: number;
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

export function sendAnswer(response: ServerResponse, answer: Answer, asked: Asked): void {
  const blocks = blocksOf(answer, asked.number);
  const stop_reason = answer.stop ?? (answer.calls.length > 0 ? "tool_use" : "end_turn");
  const head = { id: `msg_mock_${asked.number}`, type: "message", role: "assistant", model: asked.model };
  const usage = {
    input_tokens: answer.usage.input,
    cache_creation_input_tokens: answer.usage.cacheWrite,
    cache_read_input_tokens: answer.usage.cacheRead,
    output_tokens: answer.usage.output,
  };
  if (answer.cut && !asked.stream) {
    response.destroy();
    return;
  }
  if (!asked.stream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...head, content: blocks, stop_reason, stop_sequence: null, usage }));
    return;
  }
  beginStream(response);
  // As the service does: what comes out is counted only at the end.
  const opening = {
    ...head,
    content: [],
    stop_reason: null,
    usage: { ...usage, output_tokens: Math.min(1, answer.usage.output) },
  };
  sendEvent(response, { type: "message_start", message: opening });
  for (const [index, block] of blocks.entries()) {
    sendEvent(response, { type: "content_block_start", index, content_block: emptied(block) });
    sendEvent(response, { type: "content_block_delta", index, delta: deltaOf(block) });
    if (answer.cut) {
      // What was sent arrives before the connection goes.
      response.socket?.destroySoon();
      return;
    }
    sendEvent(response, { type: "content_block_stop", index });
  }
  const last = { stop_reason, stop_sequence: null };
  sendEvent(response, { type: "message_delta", delta: last, usage: { output_tokens: answer.usage.output } });
  sendEvent(response, { type: "message_stop" });
  response.end();
}

export function sendStreamError(response: ServerResponse, error: unknown, asked: Asked): void {
  const message = { id: `msg_mock_${asked.number}`, type: "message", role: "assistant", model: asked.model };
  const usage = { input_tokens: 1, output_tokens: 1 };
  beginStream(response);
  sendEvent(response, { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } });
  sendEvent(response, { type: "error", error });
  response.end();
}

function blocksOf(answer: Answer, number: number): readonly Block[] {
  const { flood, text, calls } = answer;
  const long = "a".repeat(flood?.length ?? 0);
  const floods = Array.from({ length: flood?.blocks ?? 0 }, (): Block => ({ type: "text", text: long }));
  const texts: readonly Block[] = text === undefined ? [] : [{ type: "text", text }];
  const uses = calls.map(
    ({ tool, input }, n): Block => ({ type: "tool_use", id: `toolu_mock_${number}_${n}`, name: tool, input }),
  );
  return answer.textLast ? [...floods, ...uses, ...texts] : [...floods, ...texts, ...uses];
}

const emptied = (block: Block) => (block.type === "text" ? { ...block, text: "" } : { ...block, input: {} });
const deltaOf = (block: Block) =>
  block.type === "text"
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };

function beginStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_mock" });
}

function sendEvent(response: ServerResponse, event: { readonly type: string; readonly [key: string]: unknown }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
