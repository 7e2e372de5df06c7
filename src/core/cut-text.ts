// Why an iteration was started that the one before did not ask for, as its brief tells it.
import type { CutBecause } from "../protocol/standing.ts";
import type { Cut } from "./repeats.ts";

const advice: Readonly<Record<CutBecause, string>> = {
  overflow:
    "The iteration before this one ended because its context was full. This text is shorter for that reason: look at files in parts, and only at those that you need.",
  context:
    "The iteration before this one ended because its context was nearly full. Go on from what it left; look at files in parts, and only at those that you need.",
  repeating:
    "The iteration before this one was ended from outside, because it got nowhere. Do not make that call again as it is: find out why it fails, or reach the same in another way.",
};

/** Its message is words of programs: indented, so that nothing in it reads as an instruction of ours. */
export function cutText(cut: Cut | null): string {
  if (cut === null) return "";
  const { because, message } = cut;
  return `## Why you were started again\n\n${advice[because]}\n\n${message.replaceAll(/^/gm, "    ")}`;
}
