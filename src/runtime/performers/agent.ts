// Runs one iteration: brief in, stream watched, end out. And looks at what a lost one left.
import { briefFor } from "../../core/brief.ts";
import { parseCheckpoint } from "../../core/checkpoint-line.ts";
import { createLineSplitter } from "../../kit/lines.ts";
import type { AgentEnd } from "../../protocol/agent.ts";
import type { Answer } from "../../protocol/effect.ts";
import { environmentOf } from "../setup/prepare.ts";
import { answered, type PerformingKind } from "./performing.ts";
import { redactedEnd } from "./redacted.ts";

type RunningAgent = PerformingKind<"agent.run">;

export async function runAgent(performing: RunningAgent): Promise<Answer> {
  const { effect, ports, signal, state, announce } = performing;
  const driver = ports.driver();
  if (!driver.ok) return { kind: "failed", failure: driver.failure };
  const env = await environmentOf(performing);
  if (!env.ok) return { kind: "failed", failure: env.failure };
  const { task, attempt, iteration, path: cwd, timeoutMs, lane } = effect;
  const request = {
    task,
    attempt,
    iteration,
    brief: briefFor(state, task, iteration),
    cwd,
    timeoutMs,
    announce,
    env: env.value,
  };
  await performing.flushViews();
  const lines = createLineSplitter();
  const live = ports.redactor.stream();
  const show = (text: string) => {
    if (text !== "") ports.onSaid?.({ task, lane, text });
  };
  let end: AgentEnd | null = null;
  let heard = false;
  for await (const event of driver.value.run(request, signal)) {
    if (event.type === "ended") {
      end = event.end;
      continue;
    }
    if (!heard) {
      heard = true;
      await performing.spoke();
    }
    show(live.push(event.text));
    for (const line of lines.push(event.text)) await markProgress(performing, line);
  }
  show(live.flush());
  for (const line of lines.flush()) await markProgress(performing, line);
  // What an interrupted agent leaves is noted: after a restart of the machine it is believed if it is still the same.
  if (signal.aborted) await ports.workspaces.inspect({ path: cwd, base: effect.base });
  if (end === null) {
    return {
      kind: "failed",
      failure: { kind: "task_exec", message: `the driver of ${task} ended without saying how` },
    };
  }
  return { kind: "agent.ended", end: redactedEnd(end, ports.redactor) };
}

/** A checkpoint carries the workspace's tree, so that recovery can tell whether it still holds (V1). */
async function markProgress({ effect, ports, checkpoint }: RunningAgent, line: string): Promise<void> {
  const mark = parseCheckpoint(line);
  if (mark === null) return;
  const seen = await ports.workspaces.inspect({ path: effect.path, base: effect.base });
  if (seen.ok)
    await checkpoint({ ...mark, description: ports.redactor.redact(mark.description), tree: seen.value.tree });
}

export async function inspectLostAgent({ effect, ports }: RunningAgent): Promise<Answer> {
  const seen = await ports.workspaces.inspect({ path: effect.path, base: effect.base });
  return answered(seen, ({ uncommitted, commits, tree }) => ({ kind: "agent.lost", uncommitted, commits, tree }));
}
