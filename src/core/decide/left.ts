// What an agent left in its workspace becomes facts: each thing once, by its hash, whole or not at all, and within the
// limits of findings. What is not taken is said (rules I5, I7).
import type { Event } from "../../protocol/event.ts";
import { type Left, mostLeft } from "../../protocol/left.ts";
import { mostOfMission } from "./told.ts";
import type { Turn } from "./turn.ts";

/** Findings of one attempt that were files of its workspace, or parts of such. */
export const mostFiled = 40;

export function decideLeft({ state, task, attempt, effect }: Turn, left: Left | undefined): readonly Event[] {
  if (left === undefined) return [];
  const of = { task: effect.task, attempt: effect.attempt };
  const { iteration } = attempt;
  const isNew = ({ hash }: { readonly hash: string }): boolean => !task.collected.includes(hash);
  const events: Event[] = [];
  const untaken = left.untaken.filter(isNew);
  const tooMany = new Set<string>();
  if (left.handoff !== null && isNew(left.handoff))
    events.push({ type: "agent.handedOff", ...of, iteration, ...left.handoff });
  let { findings } = state.told;
  let { filed } = attempt;
  for (const finding of left.findings) {
    const { hash, part, parts } = finding.file;
    if (!isNew({ hash })) continue;
    const why = noRoom({ findings, filed, parts: parts - part + 1 });
    // The first part speaks for all: a result is taken whole or not at all.
    if (why !== null && part === 1) {
      tooMany.add(hash);
      // Said once for this attempt; the next one has room again.
      const said = { what: finding.title, why, hash: `${hash}/${of.attempt}` };
      if (isNew(said)) untaken.push(said);
    }
    if (tooMany.has(hash)) continue;
    findings += 1;
    filed += 1;
    events.push({ type: "agent.found", ...of, number: findings, ...finding });
  }
  if (untaken.length === 0) return events;
  const named = untaken.slice(0, mostLeft.named);
  return [...events, { type: "left.refused", ...of, iteration, untaken: named, more: untaken.length - named.length }];
}

function noRoom({ findings, filed, parts }: Record<"findings" | "filed" | "parts", number>): string | null {
  const many = parts === 1 ? "" : ` and it would be ${parts} more`;
  if (filed + parts > mostFiled)
    return `${filed} of ${mostFiled} findings were taken from files of this attempt${many}`;
  const most = mostOfMission.findings;
  return findings + parts > most ? `the inbox has had ${findings} of ${most} findings${many}` : null;
}
