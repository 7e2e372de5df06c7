// Runs Claude Code once and reads its stream to the result; what it has left running by then is ended.
import { randomUUID } from "node:crypto";
import { createLineSplitter } from "../../kit/lines.ts";
import { markerVariable } from "../../kit/process-groups.ts";
import { type PrintedLines, processLines } from "../../kit/process-lines.ts";
import type { AgentEvent } from "../../protocol/agent.ts";
import type { AgentRequest } from "../driver.ts";
import type { Exit } from "./classify.ts";
import { eventsOf } from "./events.ts";
import { nothingSeen, type Seen, see } from "./seen.ts";
import { parseLine } from "./stream-line.ts";
import { createWatch } from "./watch.ts";
import { windowOf } from "./windows.ts";

export interface Program {
  readonly argv: readonly [string, ...string[]];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly silenceMs: number;
  /** How much its model can take; not given: as its name says. */
  readonly contextTokens: number | undefined;
}

const usedSoFar = ({ tokens, lastRequest, model }: Seen, window = windowOf(model)): AgentEvent => ({
  type: "used",
  tokens,
  ...(lastRequest !== null && { context: { tokens: lastRequest, window } }),
});

export interface Ran {
  readonly seen: Seen;
  readonly exit: Exit;
}

/** A longer one is of no use to us: it is skipped, and no more of it than this is ever held. */
const longestLine = 8_388_608;
const keptEvidence = 12_000;
/** What it may still do once it has told its result, such as to save its session. */
const afterResultMs = 3_000;

export async function* runProgram(
  program: Program,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Ran, void> {
  const { cwd, announce, record, limits, confine: wrap, redactor } = request;
  const { argv, stdin, env, timeoutMs, silenceMs } = program;
  const watch = createWatch(signal);
  const splitter = createLineSplitter(longestLine);
  let seen = nothingSeen;

  const take = (text: string): readonly AgentEvent[] => {
    const line = parseLine(text);
    if (line === null) return [];
    const { tokens } = seen;
    seen = see(seen, line);
    // What it still tells while it is stopped is about its stopping.
    if (signal.aborted) return [];
    const used: readonly AgentEvent[] = seen.tokens === tokens ? [] : [usedSoFar(seen, program.contextTokens)];
    return [...used, ...eventsOf(line, redactor.redact)];
  };
  const read = ({ text, stream }: PrintedLines): readonly AgentEvent[] => {
    const hadResult = seen.result !== null;
    const events = stream === "stdout" ? splitter.push(text).flatMap(take) : [];
    if (seen.result === null) watch.endIn(silenceMs, "silence");
    else if (!hadResult) watch.endIn(afterResultMs, "result");
    return events;
  };

  watch.endIn(silenceMs, "silence");
  const printed = processLines(
    {
      ...{ argv, wrap, cwd, env, stdin, timeoutMs, announce, record, limits },
      signal: watch.signal,
      filter: () => redactor.stream(),
      keep: { headBytes: 0, tailBytes: keptEvidence },
      // Its tools leave its group: without a mark they would outlive it.
      marker: env[markerVariable] ?? randomUUID(),
    },
    read,
  );
  try {
    let step = await printed.next();
    for (; !step.done; step = await printed.next()) yield* step.value;
    yield* splitter.flush().flatMap(take);
    return { seen, exit: { ...step.value, endedBy: watch.endedBy() } };
  } finally {
    watch.close();
    // Left early, nobody asks for the result any more; it only ends the program.
    await printed.return(undefined as never);
  }
}
