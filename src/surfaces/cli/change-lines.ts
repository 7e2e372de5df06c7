// What a call does to a file, as a few lines: where both sides begin or end alike is left out.

export interface ChangeLine {
  readonly sign: "-" | "+" | "…";
  readonly text: string;
}

/** Of each side. */
const mostLines = 8;

export function changeLines(change: { readonly removed: string; readonly added: string }): readonly ChangeLine[] {
  const [removed, added] = [linesOf(change.removed), linesOf(change.added)];
  const shorter = Math.min(removed.length, added.length);
  let head = 0;
  while (head < shorter && removed[head] === added[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail += 1;
  return [
    ...side("-", removed.slice(head, removed.length - tail)),
    ...side("+", added.slice(head, added.length - tail)),
  ];
}

function side(sign: "-" | "+", lines: readonly string[]): readonly ChangeLine[] {
  const shown = lines.length <= mostLines ? lines : lines.slice(0, mostLines - 1);
  const more = lines.length - shown.length;
  return [
    ...shown.map((text): ChangeLine => ({ sign, text })),
    ...(more === 0 ? [] : [{ sign: "…", text: `${more} more lines` } as const]),
  ];
}

/** The end of the last line begins no other. */
const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
