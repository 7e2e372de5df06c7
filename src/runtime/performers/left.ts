// Takes what an agent left in its workspace (rules I5, I7) into an answer: redacted, checked, in pieces that a finding
// may hold. Whatever is wrong with it is told; nothing of it stands in the way of the work.
import { createHash } from "node:crypto";
import { oneLine } from "../../kit/escape.ts";
import { inPieces } from "../../kit/pieces.ts";
import { readHandoff } from "../../protocol/handoff.ts";
import { type Left, leftPaths, mostLeft } from "../../protocol/left.ts";
import type { PerformingKind } from "./performing.ts";

interface Collecting extends Pick<PerformingKind<"agent.run">, "ports"> {
  readonly effect: Pick<PerformingKind<"agent.run">["effect"], "path" | "base">;
}

export async function collectLeft({ effect, ports }: Collecting): Promise<Left> {
  const { redact } = ports.redactor;
  const found = await ports.workspaces.collect({ path: effect.path, base: effect.base });
  if (!found.ok) {
    const { message } = found.failure;
    return { handoff: null, findings: [], untaken: [refusal("the workspace", redact(message))] };
  }
  const { handoff, results, untaken } = found.value;
  const read = handoff === null ? null : handedOff(redact(handoff));
  return {
    handoff: read?.handoff ?? null,
    findings: results.flatMap(({ name, text }) => pieces(oneLine(redact(name), 150), redact(text))),
    untaken: [
      ...(read?.untaken ?? []),
      ...untaken.map(({ what, why }) => refusal(oneLine(redact(what), 200), oneLine(why, 200))),
    ],
  };
}

const hashOf = (...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);

const refusal = (what: string, why: string, content = ""): Left["untaken"][number] => ({
  what,
  why,
  hash: hashOf(what, why, content),
});

function handedOff(text: string): Pick<Left, "handoff" | "untaken"> {
  const { handoff, problems } = readHandoff(text);
  return {
    handoff: handoff === null ? null : { handoff, hash: hashOf(leftPaths.handoff, text) },
    untaken: problems.length === 0 ? [] : [refusal(leftPaths.handoff, oneLine(problems.join("; "), 400), text)],
  };
}

function pieces(name: string, text: string): Left["findings"] {
  const hash = hashOf(leftPaths.results, name, text);
  const all = inPieces(text, mostLeft.finding);
  return all.map((piece, at) => ({
    title: all.length === 1 ? name : `${name} (part ${at + 1} of ${all.length})`,
    text: piece,
    file: { hash, part: at + 1, parts: all.length },
  }));
}
