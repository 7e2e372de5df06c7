// Cuts a text that comes in pieces at line ends, as many lines at a time as there are.

export interface LineBatches {
  /** What this text completed: each entry whole lines with their ends. Joined, entries are the text unchanged. */
  push(text: string): readonly string[];
  /** The unfinished last line, if there is one. */
  flush(): readonly string[];
}

/**
 * No entry is longer than `max` UTF-16 units: a line beyond it comes in several, so that an endless one cannot fill
 * the memory. Never cuts a character.
 */
export function createLineBatches(max: number): LineBatches {
  let rest = "";
  return {
    push(text) {
      // Only what is new is looked through: an endless line would else be read again with each of its pieces.
      const lastEnd = text.lastIndexOf("\n");
      const end = lastEnd === -1 ? 0 : rest.length + lastEnd + 1;
      rest += text;
      if (end === 0 && rest.length <= max) return [];
      const whole = split(rest.slice(0, end), max);
      const open = split(rest.slice(end), max);
      rest = open.last;
      return [...whole.pieces, whole.last, ...open.pieces].filter((piece) => piece !== "");
    },
    flush() {
      const last = rest;
      rest = "";
      return last === "" ? [] : [last];
    },
  };
}

/** Pieces of at most `max`, cut after a line end where there is one; `last` is within `max` too. */
function split(text: string, max: number): { readonly pieces: readonly string[]; readonly last: string } {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > max) {
    const lineEnd = text.lastIndexOf("\n", start + max - 1) + 1;
    const cut = lineEnd > start ? lineEnd : start + max - (isHighSurrogate(text, start + max - 1) ? 1 : 0);
    pieces.push(text.slice(start, cut));
    start = cut;
  }
  return { pieces, last: text.slice(start) };
}

const isHighSurrogate = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xd800;
