// Runs one iteration: brief in, stream watched, end out. And looks at what a lost one left.
import { briefFor, workerText } from "../../core/brief.ts";
import { parseCheckpoint } from "../../core/checkpoint-line.ts";
import { keepsFailing, noCalls, seeCall } from "../../core/failing-call.ts";
import type { Cut } from "../../core/repeats.ts";
import type { AgentRequest } from "../../drivers/driver.ts";
import { oneLine } from "../../kit/escape.ts";
import { createLineSplitter } from "../../kit/lines.ts";
import type { AgentEnd, AgentEvent, AgentIdentity } from "../../protocol/agent.ts";
import type { Answer } from "../../protocol/effect.ts";
import type { Doing, Ports } from "../ports.ts";
import { environmentOf } from "../setup/prepare.ts";
import { answerAgent } from "./attempt-socket.ts";
import { type ContextWatch, createWords, watchContext } from "./context-watch.ts";
import { iterationEnd } from "./iteration-end.ts";
import { collectLeft } from "./left.ts";
import { answered, type PerformingKind, recorded } from "./performing.ts";
import { redactedEnd } from "./redacted.ts";
import { whereItStands } from "./standing.ts";
import { type Transcript, transcriptFor, withSummary } from "./summary.ts";
import { givenUsd, type TokenWatch, watchTokens } from "./token-watch.ts";
import { tellWithheldEnd } from "./withheld.ts";

type RunningAgent = PerformingKind<"agent.run">;

export function runAgent(performing: RunningAgent): Promise<Answer> {
  const { agentForm } = performing.ports;
  const what = `agent-${performing.effect.iteration}${agentForm === undefined ? "" : `.${agentForm}`}`;
  return recorded(performing, what, (given) => runRecorded(performing, given));
}

async function runRecorded(performing: RunningAgent, given: Pick<AgentRequest, "record" | "limits">): Promise<Answer> {
  const { effect, ports, signal, state, announce } = performing;
  const driver = ports.driver();
  if (!driver.ok) return { kind: "failed", failure: driver.failure };
  const env = await environmentOf(performing);
  if (!env.ok) return { kind: "failed", failure: env.failure };
  const { task, attempt, iteration, path: cwd, timeoutMs } = effect;
  let context: ContextWatch | null = null;
  const tell: typeof performing.tell = async (told) => {
    const taken = await performing.tell(told);
    if (taken.ok && told.verb === "handoff") context?.handedOver();
    return taken;
  };
  const place = await ports.confinement.agent(answerAgent({ ...performing, tell }));
  const tools = driver.value.offersTools === true ? place.tools : null;
  const words = place.letters === null ? null : createWords(place.letters);
  context = watchContext((text) => words?.say(text), tools !== null);
  const request = {
    task,
    attempt,
    iteration,
    role: { ...ports.models?.worker, name: "worker" as const, text: workerText(tools !== null) },
    brief: briefFor(state, task, iteration, { shown: ports.redactor.redact }),
    cwd,
    timeoutMs,
    budgetUsd: givenUsd(state, effect),
    announce,
    confine: place.confine,
    env: { ...env.value, ...place.env },
    redactor: ports.redactor,
    ...(tools === null ? {} : { tools }),
    ...(words === null ? {} : { words }),
    ...given,
  };
  await performing.flushViews();
  const watched = watchTokens(state, effect, signal);
  const cut = new AbortController();
  try {
    const events = driver.value.run(request, AbortSignal.any([watched.signal, cut.signal]));
    const transcript = transcriptFor(ports);
    const answer = await watch(performing, events, { tokens: watched, context, cut, transcript });
    const session = { driver: driver.value, request, transcript, hasHandedOver: context.hasHandedOver() };
    return await withSummary(performing, answer, session);
  } finally {
    watched.close();
    await place.close();
  }
}

interface Bounds {
  readonly tokens: TokenWatch;
  readonly context: ContextWatch;
  readonly transcript: Transcript;
  /** Ends it at once. */
  readonly cut: AbortController;
}

async function watch(
  performing: RunningAgent,
  events: AsyncIterable<AgentEvent>,
  { tokens, context, cut, transcript }: Bounds,
): Promise<Answer> {
  const { effect, ports, signal } = performing;
  const { task, lane, path: cwd } = effect;
  const lines = createLineSplitter();
  const { onSaid } = ports;
  const live = onSaid === undefined ? null : ports.redactor.stream();
  const show = (text: string | undefined) => {
    if (text) onSaid?.({ task, lane, text });
  };
  let end: AgentEnd | null = null;
  let agent: AgentIdentity | undefined;
  let heard = false;
  let calls = noCalls;
  let cutting: Cut | null = null;
  for await (const event of events) {
    if (event.type === "ended") {
      end = event.end;
      continue;
    }
    const doing = doingOf(event);
    if (doing !== null) ports.onDoing?.({ task, lane, ...doing });
    if (event.type === "used") tokens.see(event.tokens);
    const full = event.type === "used" && event.context !== undefined ? context.see(event.context) : null;
    if (event.type === "began") agent = identityOf(event, ports);
    calls = seeCall(calls, event);
    transcript.see(event);
    const failing = keepsFailing(calls);
    const enough: Cut | null = failing === null ? full : { because: "repeating", message: failing };
    if (enough !== null && cutting === null) {
      cutting = enough;
      cut.abort();
    }
    // That it began, or that its service lets it wait, is not yet anything it did.
    if (!heard && (event.type === "said" || event.type === "called")) {
      heard = true;
      await performing.spoke();
    }
    if (event.type !== "said") continue;
    show(live?.push(event.text));
    for (const line of lines.push(event.text)) await markProgress(performing, line);
  }
  show(live?.flush());
  for (const line of lines.flush()) await markProgress(performing, line);
  // What an interrupted agent leaves is noted: after a restart of the machine it is believed if it is still the same.
  if (signal.aborted) await ports.workspaces.inspect({ path: cwd, base: effect.base });
  if (end === null) {
    return {
      kind: "failed",
      failure: { kind: "task_exec", message: `the driver of ${task} ended without saying how` },
    };
  }
  if (cutting !== null) end = cutEnd(end, cutting);
  const quiet = ports.quiet?.(ports.clock.now()) ?? [];
  const kept = iterationEnd(end, { chance: ports.random(), ...(quiet.length > 0 && { quiet: [...quiet] }) });
  if (kept === null) {
    const lost = await inspectLostAgent(performing);
    return lost.kind === "agent.lost" && end.account !== undefined ? { ...lost, account: end.account } : lost;
  }
  const left = await collectLeft(performing);
  const ended = context.end(tokens.end(kept), left, performing.state.tasks.get(task));
  const told = redactedEnd(tellWithheldEnd(ended, performing), ports.redactor);
  const stood = await whereItStands(performing, told);
  return {
    kind: "agent.ended",
    end: told,
    ...(agent !== undefined && { agent }),
    ...(stood !== null && { stood }),
    left,
  };
}

/** An agent that came to an end of its own before it heard of ours has that one. */
const cutEnd = (end: AgentEnd, { because, message }: Cut): AgentEnd =>
  end.reason === "interrupted" ? { ...end, reason: "unfinished", because, message } : end;

const identityOf = (
  { version, model }: Extract<AgentEvent, { type: "began" }>,
  { agent: name, redactor }: Ports,
): AgentIdentity => ({
  name,
  version: oneLine(redactor.redact(version), 200),
  model: oneLine(redactor.redact(model), 200),
});

function doingOf(event: AgentEvent): Pick<Doing, "call" | "tokens"> | null {
  switch (event.type) {
    case "called":
      return { call: { tool: event.tool, about: event.about } };
    case "answered":
    case "said":
      return { call: null };
    case "used":
      return { tokens: event.tokens };
    default:
      return null;
  }
}

/** A checkpoint carries the workspace's tree, so that recovery can tell whether it still holds (V1). */
async function markProgress({ effect, ports, checkpoint }: RunningAgent, line: string): Promise<void> {
  const mark = parseCheckpoint(line);
  if (mark === null) return;
  const seen = await ports.workspaces.inspect({ path: effect.path, base: effect.base });
  if (seen.ok)
    await checkpoint({ ...mark, description: ports.redactor.redact(mark.description), tree: seen.value.tree });
}

export async function inspectLostAgent(performing: RunningAgent): Promise<Answer> {
  const { effect, ports } = performing;
  const seen = await ports.workspaces.inspect({ path: effect.path, base: effect.base });
  const left = await collectLeft(performing);
  return answered(seen, ({ uncommitted, commits, tree }) => ({ kind: "agent.lost", uncommitted, commits, tree, left }));
}
