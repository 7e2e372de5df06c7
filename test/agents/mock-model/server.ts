// A model on the loopback interface that follows a scenario, so that a real agent does real work without a network.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import { sendAnswer, sendStreamError } from "./messages.ts";
import type { Scenario, Usage } from "./scenario.ts";

export interface MockModel {
  readonly url: string;
  /** What it said it used, answer by answer. */
  readonly used: readonly Usage[];
  /** How many requests moved the scenario on. */
  asked(): number;
  /** What those told it: its instructions, and the text of the conversation so far. */
  readonly heard: readonly Heard[];
  /** What it was asked without tools: by which model, and what about. */
  readonly asides: readonly Aside[];
  close(): Promise<void>;
}

interface Aside {
  readonly model: string;
  readonly instructions: string;
  readonly asked: string;
}

interface Heard {
  /** The agent's own name for the conversation. */
  readonly session: string;
  /** All of it in the order in which a provider's cache takes it: tools, instructions, conversation. */
  readonly cached: string;
  readonly instructions: string;
  readonly conversation: readonly { readonly role: string; readonly text: string }[];
}

/** Other blocks than text are told of by their type. */
const Content = z.union([
  z.string(),
  z
    .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
    .transform((blocks) => blocks.map(({ type, text }) => text ?? `<${type}>`).join("\n")),
]);

const Request = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.unknown()).default([]),
  system: Content.default(""),
  messages: z.array(z.object({ role: z.string(), content: Content })).default([]),
  metadata: z.object({ user_id: z.string().default("") }).prefault({}),
});
type Request = z.output<typeof Request>;

/** Titles, summaries and the like offer no tools: they are answered, and are no step of the scenario. */
const aside: Scenario["steps"][number] = {
  text: "ok",
  calls: [],
  textLast: false,
  cut: false,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

export async function startMockModel(scenario: Scenario): Promise<MockModel> {
  const used: Usage[] = [];
  const heard: Heard[] = [];
  const asides: Aside[] = [];
  let requests = 0;
  let asked = 0;

  const nextStep = (request: Request, raw: unknown): Scenario["steps"][number] => {
    if (request.tools.length === 0) {
      const asked = request.messages.map(({ content }) => content).join("\n");
      asides.push({ model: request.model, instructions: request.system, asked });
      return scenario.aside ?? aside;
    }
    const step = scenario.steps[Math.min(asked, scenario.steps.length - 1)];
    asked += 1;
    const conversation = request.messages.map(({ role, content }) => ({ role, text: content }));
    heard.push({
      session: request.metadata.user_id,
      cached: inCacheOrder(raw),
      instructions: request.system,
      conversation,
    });
    return step ?? aside;
  };

  const answer = (request: Request, raw: unknown, response: ServerResponse): void => {
    requests += 1;
    const about = { model: request.model, stream: request.stream, number: requests };
    const step = nextStep(request, raw);
    if ("status" in step) {
      sendError(response, step);
    } else if ("streamError" in step) {
      if (request.stream) sendStreamError(response, step.streamError, about);
      else sendError(response, { status: 529, headers: {}, error: step.streamError });
    } else if ("silent" in step) {
      if (step.silent === "closed") response.destroy();
    } else {
      if (!step.cut) used.push(step.usage);
      sendAnswer(response, step, about);
    }
  };

  const server = createServer((message, response) => {
    bodyOf(message).then(
      (body) => {
        const request = Request.safeParse(body);
        if (request.success && message.url?.startsWith("/v1/messages")) return answer(request.data, body, response);
        response.writeHead(404, { "content-type": "application/json" });
        response.end(JSON.stringify({ type: "error", error: { type: "not_found_error", message: "not scripted" } }));
      },
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    used,
    heard,
    asides,
    asked: () => asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function inCacheOrder(raw: unknown): string {
  const { tools, system, messages } = raw as Record<string, unknown>;
  return JSON.stringify([tools, system, messages]);
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: unknown;
}
function sendError(response: ServerResponse, { status, headers, error }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ type: "error", error, request_id: "req_mock" }));
}

async function bodyOf(message: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  return parts.length === 0 ? null : JSON.parse(Buffer.concat(parts).toString("utf8"));
}
