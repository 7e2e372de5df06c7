// One iteration: the brief, and, after an end without a word, the request to go on in the same session.
import type { Account } from "../../protocol/account.ts";
import type { AgentEnd, AgentEvent } from "../../protocol/agent.ts";
import type { AgentRequest } from "../driver.ts";
import { goneOn, nothingUsed } from "./account.ts";
import { refusalAsRoot } from "./check.ts";
import { classify, isEmpty, withoutAWord } from "./classify.ts";
import { argvOf, type Options } from "./options.ts";
import { type Program, type Ran, runProgram } from "./run-program.ts";
import { hearWords } from "./words.ts";

/** The third end without a word is a stall (I3). */
const mostEmpty = 3;
const goOn =
  "You ended your turn without a word. Go on with the task; when you have done all of it, say so in one sentence.";

export async function* runIteration(
  options: Options,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, void> {
  const refused = refusalAsRoot(options, environmentOf(request));
  if (refused !== null) {
    yield { type: "ended", end: { reason: "failed", account: nothingUsed, failure: refused } };
    return;
  }
  hearWords(request.words);
  const deadline = performance.now() + request.timeoutMs;
  const silenceMs = Math.round(options.silenceMinutes * 60_000);
  let stdin = request.brief;
  let session: string | null = null;
  let spent: Account | null = null;

  for (let empty = 1; ; empty++) {
    const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
    const program: Program = {
      argv: argvOf(options, session, request),
      stdin,
      env: environmentOf(request),
      timeoutMs,
      silenceMs,
      contextTokens: options.contextTokens,
    };
    const { seen, exit }: Ran = yield* runProgram(program, request, signal);
    const told = classify(seen, exit, { timeoutMs: request.timeoutMs, silenceMs, prices: options.prices });
    // A session is not kept where the home cannot be written: what ended without a word then stays without one.
    const end: AgentEnd = session !== null && seen.result?.num_turns === 0 ? withoutAWord : told;
    spent = goneOn(spent, end.account, seen.result !== null);
    const mayGoOn = isEmpty(seen) && end.reason === "stalled" && empty < mostEmpty;
    if (!mayGoOn || seen.session === null || signal.aborted) {
      yield { type: "ended", end: spent === null ? end : { ...end, account: spent } };
      return;
    }
    session = seen.session;
    stdin = goOn;
  }
}

/** `IS_SANDBOX` is how Claude Code is told that it may bypass permissions as root: said only where it is true. */
function environmentOf({ env, confine }: AgentRequest): Readonly<Record<string, string>> {
  const sandboxed = confine === undefined ? {} : { IS_SANDBOX: "1" };
  return { ...env, ...sandboxed, DISABLE_AUTOUPDATER: "1" };
}
