// Splits a stream of text into lines. Memory is bounded: what is longer than `maxLength` comes out in pieces.
export interface LineSplitter {
  push(text: string): readonly string[];
  /** The last line, if the stream did not end with a newline. */
  flush(): readonly string[];
}

export function createLineSplitter(maxLength = 65_536): LineSplitter {
  let open = "";
  return {
    push(text) {
      const lines: string[] = [];
      let from = 0;
      for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
        lines.push(open + text.slice(from, to));
        open = "";
        from = to + 1;
      }
      open += text.slice(from);
      while (open.length > maxLength) {
        lines.push(open.slice(0, maxLength));
        open = open.slice(maxLength);
      }
      return lines;
    },
    flush() {
      const rest = open;
      open = "";
      return rest === "" ? [] : [rest];
    },
  };
}
