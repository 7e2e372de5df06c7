// The Model Context Protocol, as much of it as a server of a few tools needs: lines of JSON-RPC on the standard streams.
// Whoever writes to it is not trusted: lines are bounded, one call is carried at a time, and nothing is kept of it.
import { once } from "node:events";
import type { ToolBox } from "./mcp-tools.ts";
import { readVersion } from "./version.ts";

export interface McpStreams {
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: NodeJS.WritableStream;
  readonly tools: ToolBox;
}

/** Of a longer line no more than this is ever held: it is passed over, and that is said once. */
const longestLine = 1_048_576;
/** The subset is the same in all of them; of others the newest is offered. */
const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

type Id = string | number | null;
interface Request {
  readonly id?: Id;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}
type Reply = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

const no = (code: number, message: string): Reply => ({ error: { code, message } });
const noJson = no(-32_700, "that is no JSON");
const tooLong = no(-32_600, `that is too long: a line may have ${longestLine} characters`);
const noRequest = no(-32_600, "that is no request: an object with jsonrpc, id and method is");

/** Resolves when nobody can ask any more. */
export async function serveMcp({ input, output, tools }: McpStreams): Promise<void> {
  const lines = boundedLines();
  const text = new TextDecoder();
  let isOpen = true;
  // The client has left: what is under way is finished, and there is nobody to tell.
  output.on("error", () => {
    isOpen = false;
  });
  const answer = async (line: string | null): Promise<void> => {
    const reply = await replyTo(line, tools);
    if (reply === null || !isOpen) return;
    // Nothing more is read before what was answered is taken: a client that only asks does not fill our memory.
    if (!output.write(`${JSON.stringify(reply)}\n`)) await Promise.race([once(output, "drain"), once(output, "close")]);
  };
  for await (const piece of input) {
    for (const line of lines(text.decode(piece, { stream: true }))) if (isOpen) await answer(line);
    if (!isOpen) return;
  }
}

/** Whole lines of a stream; null for one that was too long. What has no end when the stream ends was no request. */
function boundedLines(): (text: string) => readonly (string | null)[] {
  let open: string | null = "";
  return (text) =>
    text.split("\n").flatMap((part, index, parts) => {
      open = open === null || open.length + part.length > longestLine ? null : open + part;
      if (index === parts.length - 1) return [];
      const line = open;
      open = "";
      return [line];
    });
}

async function replyTo(line: string | null, tools: ToolBox): Promise<object | null> {
  if (line === null) return { jsonrpc: "2.0", id: null, ...tooLong };
  if (line.trim() === "") return null;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { jsonrpc: "2.0", id: null, ...noJson };
  }
  const request = requestIn(message);
  if (request === null) return { jsonrpc: "2.0", id: null, ...noRequest };
  // A notification, or an answer to something we never ask.
  if (request.id === undefined) return null;
  return { jsonrpc: "2.0", id: request.id, ...(await resultOf(request, tools)) };
}

function requestIn(message: unknown): Request | null {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return null;
  const { id, method, params } = message as Readonly<Record<string, unknown>>;
  if (method === undefined && ("result" in message || "error" in message)) return { method: "", params: {} };
  if (typeof method !== "string") return null;
  if (id !== undefined && typeof id !== "string" && typeof id !== "number") return null;
  const given = typeof params === "object" && params !== null && !Array.isArray(params) ? params : {};
  return { ...(id === undefined ? {} : { id }), method, params: given as Request["params"] };
}

async function resultOf({ method, params }: Request, tools: ToolBox): Promise<Reply> {
  switch (method) {
    case "initialize": {
      const protocolVersion = versions.find((version) => version === params.protocolVersion) ?? versions[0];
      const serverInfo = { name: "harness", version: readVersion() };
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
    }
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: tools.list } };
    case "tools/call": {
      const called = await tools.call(params.name, params.arguments ?? {});
      if (called === null)
        return no(-32_602, `there is no such tool; there are: ${tools.list.map(({ name }) => name).join(", ")}`);
      const { ok, text } = called;
      return { result: { content: [{ type: "text", text }], isError: !ok } };
    }
    default:
      return no(-32_601, "there is no such method here");
  }
}
