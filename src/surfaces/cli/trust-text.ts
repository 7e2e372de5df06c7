// What waits for the user's word, exactly as it would run: every line of it, and nothing in it that hides.
import { oneLine } from "../../kit/escape.ts";
import { isoTime } from "../../kit/iso-time.ts";
import type { Acceptance } from "../../protocol/trust.ts";

export interface Waiting {
  readonly root: string;
  readonly hash: string;
  readonly what: readonly string[];
}

/** The longest line that is shown whole; what is cut says so, and the hash covers all of it. */
const longest = 4_096;

export function waitingText({ root, hash, what }: Waiting): string {
  return [
    `${oneLine(root)} wants to run, with your rights:`,
    "",
    ...what.flatMap((command) => block(command)),
    "",
    `hash  ${hash}`,
  ].join("\n");
}

function block(command: string): readonly string[] {
  const [first = "", ...rest] = command.replace(/\n$/, "").split("\n");
  return [`  $ ${oneLine(first, longest)}`, ...rest.map((line) => `    ${oneLine(line, longest)}`)];
}

export function listText(all: readonly Acceptance[]): string {
  if (all.length === 0) return "Nothing was accepted for any project.";
  return all
    .map(({ root, hash, what, at }) => {
      const commands = what.length === 1 ? "1 command" : `${what.length} commands`;
      return `${hash}  ${isoTime(at)}  ${commands}  ${oneLine(root)}`;
    })
    .join("\n");
}
