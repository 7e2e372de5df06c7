// Cuts a long text into pieces that put together are the text again.

/** Cut after a line where there is one in the second half of a piece, and never through a character. */
export function inPieces(text: string, longest: number): readonly string[] {
  const all: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + longest, text.length);
    if (to < text.length) {
      const line = text.lastIndexOf("\n", to - 1);
      if (line > from + longest / 2) to = line + 1;
      else if (/[\ud800-\udbff]/.test(text[to - 1] ?? "")) to -= 1;
    }
    all.push(text.slice(from, to));
    from = to;
  }
  return all;
}
