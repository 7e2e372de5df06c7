import { expect, test } from "vitest";
import { createLiveBlock } from "./live-block.ts";

/** A terminal that understands what the block uses: newlines, carriage returns, cursor up, erase to the end. */
function createScreen(columns: number, rows: number) {
  const lines: string[] = [""];
  let row = 0;
  const write = (text: string) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal reads them
    for (const [piece] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|\n|\r|[^\u001b\n\r]+/g)) {
      if (piece === "\n") {
        row += 1;
        lines[row] ??= "";
      } else if (piece.endsWith("A") && piece.startsWith("\u001b")) row -= Number(piece.slice(2, -1));
      else if (piece === "\u001b[J") lines.splice(row, lines.length, "");
      else if (piece !== "\r") lines[row] += piece;
    }
    return true;
  };
  return { write, columns, rows, lines: () => lines.filter((line) => line !== "") };
}

test("the block is redrawn in place and printed lines stay above it", () => {
  const screen = createScreen(40, 10);
  const block = createLiveBlock(screen);
  block.draw([{ text: "lane 0" }, { text: "bar 0/2" }]);
  block.print("Completed a");
  block.draw([{ text: "lane 0 b" }, { text: "bar 1/2" }]);
  expect(screen.lines()).toEqual(["Completed a", "lane 0 b", "bar 1/2"]);
  block.close();
  expect(screen.lines()).toEqual(["Completed a"]);
});

test("no line reaches the last column, and no block is taller than the terminal", () => {
  const screen = createScreen(10, 4);
  const block = createLiveBlock(screen);
  block.draw(Array.from({ length: 9 }, (_, lane) => ({ text: `lane ${lane} with a long title` })));
  expect(screen.lines()).toEqual(["lane 0 w…", "lane 1 w…", "lane 2 w…"]);
});

test("colour is put around the cut text", () => {
  const screen = createScreen(8, 4);
  createLiveBlock(screen).draw([{ text: "abcdefghij", paint: (text) => `<${text}>` }]);
  expect(screen.lines()).toEqual(["<abcdef…>"]);
});

test("a terminal that became narrower has wrapped the block: all of it is erased", () => {
  const written: string[] = [];
  const terminal = { write: (text: string) => written.push(text) > 0, columns: 20, rows: 10 };
  const block = createLiveBlock(terminal);
  block.draw([{ text: "0123456789abcde" }, { text: "bar" }]);
  terminal.columns = 8;
  block.draw([]);
  expect(written.at(-1)).toBe("\r\u001b[3A\u001b[J");
});
