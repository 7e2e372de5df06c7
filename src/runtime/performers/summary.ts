// Has an iteration summed up by the model that is configured for it (rule I6). What goes wrong with that is told, and
// changes nothing about the iteration.
import { createHash } from "node:crypto";
import {
  leftUsd,
  longestTranscript,
  needsSummary,
  summariserText,
  summaryBrief,
  summaryHandoff,
  together,
} from "../../core/summary.ts";
import type { AgentRequest, Driver } from "../../drivers/driver.ts";
import { oneLine } from "../../kit/escape.ts";
import type { AgentEnd, AgentEvent } from "../../protocol/agent.ts";
import type { Answer } from "../../protocol/effect.ts";
import type { Left } from "../../protocol/left.ts";
import type { Ports } from "../ports.ts";
import type { PerformingKind } from "./performing.ts";

type Ended = Extract<Answer, { kind: "agent.ended" }>;
const takesAtMostMs = 300_000;

/** The end of what an agent said and did, as text. */
export interface Transcript {
  see(event: AgentEvent): void;
  text(): string;
}

/** Kept only where somebody would sum it up. */
export const transcriptFor = ({ models }: Pick<Ports, "models">): Transcript =>
  models?.summariser === undefined ? { see: () => undefined, text: () => "" } : createTranscript();

function createTranscript(): Transcript {
  let text = "";
  const add = (more: string): void => {
    text = `${text}${more}\n`.slice(-longestTranscript);
  };
  return {
    see(event) {
      if (event.type === "said") add(event.text.trimEnd());
      if (event.type === "called") add(`> ${event.tool} ${event.about}`);
      if (event.type === "answered") add(`< ${event.ok ? "" : "error: "}${oneLine(event.text, 300)}`);
    },
    text: () => text,
  };
}

interface Session {
  readonly driver: Driver;
  readonly request: AgentRequest;
  readonly transcript: Transcript;
  /** The agent left something itself. */
  readonly hasHandedOver: boolean;
}

export async function withSummary(
  { effect, ports, state, signal }: PerformingKind<"agent.run">,
  answer: Answer,
  { driver, request, transcript, hasHandedOver }: Session,
): Promise<Answer> {
  const model = ports.models?.summariser;
  const isWanted = model !== undefined && driver.sumsUp === true && !hasHandedOver && !signal.aborted;
  if (!isWanted || answer.kind !== "agent.ended") return answer;
  const task = state.tasks.get(effect.task);
  const { handoff = null } = answer.left ?? {};
  if (handoff !== null && !task?.collected.includes(handoff.hash)) return answer;
  const record = ports.redactor.redact(transcript.text());
  if (record.trim() === "" || !needsSummary(state, effect, answer.end)) return answer;
  const { tools: _tools, words: _words, record: _record, budgetUsd, ...rest } = request;
  const end = await endOf(
    driver.run(
      {
        ...rest,
        role: { ...model, name: "summariser", text: summariserText },
        brief: summaryBrief(oneLine(task?.spec.title ?? "", 300), record),
        timeoutMs: Math.min(request.timeoutMs, takesAtMostMs),
        ...(budgetUsd !== undefined && effect.reserved && { budgetUsd: leftUsd(effect.reserved, answer.end.account) }),
      },
      signal,
    ),
  );
  return summed(answer, end, ports.redactor.redact);
}

async function endOf(events: AsyncIterable<AgentEvent>): Promise<AgentEnd | null> {
  let end: AgentEnd | null = null;
  for await (const event of events) if (event.type === "ended") end = event.end;
  return end;
}

function summed(answer: Ended, end: AgentEnd | null, redact: (text: string) => string): Answer {
  const left = answer.left ?? { handoff: null, findings: [], untaken: [] };
  const account = together(answer.end.account, end?.account);
  const told = { ...answer, end: { ...answer.end, account } };
  const text = end?.reason === "finished" ? redact(end.message).trim() : "";
  if (text === "") return { ...told, left: { ...left, untaken: [...left.untaken, noSummary(end)] } };
  return { ...told, left: { ...left, handoff: { handoff: summaryHandoff(text), hash: hashOf(text) } } };
}

function noSummary(end: AgentEnd | null): Left["untaken"][number] {
  const why = end?.reason === "failed" ? oneLine(end.failure.message, 200) : `it was ${end?.reason ?? "not made"}`;
  return { what: "the summary", why, hash: hashOf(why) };
}

const hashOf = (text: string): string => createHash("sha256").update(`summary\0${text}`).digest("hex").slice(0, 32);
