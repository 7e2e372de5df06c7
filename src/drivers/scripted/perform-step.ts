// Performs one step of a script. Answers how the iteration ends with it, or null when it goes on.
import { setTimeout as delay } from "node:timers/promises";
import { assertNever } from "../../kit/assert-never.ts";
import { oneLine } from "../../kit/escape.ts";
import { processLines } from "../../kit/process-lines.ts";
import { breachText } from "../../kit/resource-watch.ts";
import type { Account, Context } from "../../protocol/account.ts";
import type { AgentEnd, AgentEvent } from "../../protocol/agent.ts";
import type { FailureKind } from "../../protocol/failure.ts";
import { type AgentRequest, wholeText } from "../driver.ts";
import type { Step } from "./script.ts";
import { putFile, removeFile } from "./workspace-files.ts";

export interface Scene {
  readonly request: AgentRequest;
  readonly signal: AbortSignal;
  /** On the monotonic clock. */
  readonly deadline: number;
  readonly crash: () => void;
  /** What it has used so far; nothing is told where the script says nothing of it. */
  account: Account | null;
  /** What it was told and has not said yet. */
  readonly heard: string[];
}

const window = 200_000;
const filled = (share: number | undefined): { readonly context?: Context } =>
  share === undefined ? {} : { context: { tokens: Math.round(share * window), window } };

function used(before: Account | null, { usd, tokens }: Extract<Step, { verb: "use" }>): Account {
  const sum = before?.cost.basis === "reported" ? before.cost.usd : 0;
  const isKnown = usd !== null && before?.cost.basis !== "unknown";
  return {
    turns: (before?.turns ?? 0) + 1,
    tokens: { input: (before?.tokens.input ?? 0) + tokens, cached: 0, output: 0 },
    cost: isKnown ? { basis: "reported", usd: Math.round((sum + usd) * 1e9) / 1e9 } : { basis: "unknown" },
  };
}

export const failed = (kind: FailureKind, message: string, evidence = ""): AgentEnd => ({
  reason: "failed",
  failure: { kind, message: oneLine(message, 4_000), ...(evidence === "" ? {} : { evidence }) },
});
const interrupted: AgentEnd = { reason: "interrupted" };
const tookTooLong = ({ request }: Scene): AgentEnd =>
  failed("timeout", `the script took longer than ${request.timeoutMs} ms`);

export function whyStopped(scene: Scene): AgentEnd | null {
  if (scene.signal.aborted) return interrupted;
  return performance.now() < scene.deadline ? null : tookTooLong(scene);
}

async function said(scene: Scene, words: string): Promise<AgentEvent> {
  const text = words.endsWith("\n") ? words : `${words}\n`;
  await scene.request.record?.(text, "stdout");
  return { type: "said", text };
}

export async function* performStep(
  step: Step,
  scene: Scene,
  lastWords: string,
): AsyncGenerator<AgentEvent, AgentEnd | null, void> {
  const { cwd } = scene.request;
  switch (step.verb) {
    case "say":
      yield await said(scene, step.text);
      return null;
    case "checkpoint":
      // Rule A2: a progress mark is a line of output.
      yield await said(scene, `CHECKPOINT step=${step.mark} "${oneLine(step.text)}"`);
      return null;
    case "write":
    case "append":
      return attempt(step, () => putFile(cwd, step.path, step.text, step.verb));
    case "remove":
      return attempt(step, () => removeFile(cwd, step.path));
    case "wait":
      return pause(step.ms, scene);
    case "run":
      return yield* runProgram(step.command, scene);
    case "use":
      scene.account = used(scene.account, step);
      yield { type: "used", tokens: scene.account.tokens, ...filled(step.context) };
      return null;
    case "hear":
      for (const word of scene.heard.splice(0)) yield await said(scene, word);
      return null;
    case "crash":
      scene.crash();
      return interrupted;
    case "end":
      return endOf(step.end, lastWords);
    default:
      return assertNever(step);
  }
}

function endOf(end: Extract<Step, { verb: "end" }>["end"], lastWords: string): AgentEnd {
  if (typeof end === "string") return { reason: end, message: lastWords };
  if ("failed" in end) return failed(end.failed, end.message);
  const { limited, message } = end;
  return { reason: "limited", until: limited === null ? null : Date.now() + limited * 1_000, message };
}

async function attempt(step: Step & { readonly path: string }, act: () => Promise<void>): Promise<AgentEnd | null> {
  try {
    await act();
    return null;
  } catch (error) {
    return failed("task_exec", `step ${step.verb} ${step.path}: ${error instanceof Error ? error.message : error}`);
  }
}

async function pause(ms: number, scene: Scene): Promise<AgentEnd | null> {
  const left = Math.max(0, Math.ceil(scene.deadline - performance.now()));
  try {
    await delay(Math.min(ms, left), undefined, { signal: scene.signal });
  } catch {
    // The only thing it throws is that the signal aborted.
    return interrupted;
  }
  return ms < left ? null : tookTooLong(scene);
}

async function* runProgram(command: string, scene: Scene): AsyncGenerator<AgentEvent, AgentEnd | null, void> {
  const { cwd, env, announce, redactor, record, limits } = scene.request;
  const result = yield* processLines(
    {
      argv: ["/bin/sh", "-c", command],
      cwd,
      env,
      stdin: wholeText(scene.request),
      timeoutMs: Math.max(1, scene.deadline - performance.now()),
      signal: scene.signal,
      announce,
      record,
      limits,
      filter: () => redactor.stream(),
      keep: { headBytes: 0, tailBytes: 12_000 },
    },
    ({ text }) => ({ type: "said", text }) as const,
  );
  switch (result.end) {
    case "exited":
      return result.code === 0 ? null : failed("task_exec", `exited with ${result.code}: ${command}`, result.output);
    case "signalled":
      return failed("task_exec", `ended by ${result.signal}: ${command}`, result.output);
    case "timeout":
      return tookTooLong(scene);
    case "exceeded":
      return failed("resources", `${breachText(result.breach)}: ${command}`, result.output);
    case "not_started":
      return failed("env_setup", `${result.reason}: ${command}`);
    case "aborted":
    case "refused":
      return interrupted;
    default:
      return assertNever(result);
  }
}
