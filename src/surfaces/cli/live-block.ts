// A block of lines that is redrawn in place at the end of a terminal, while other lines scroll away above it.
//
// The cursor is never hidden and no mode of the terminal is changed: a run that is killed leaves nothing to restore.
import { fit, textWidth } from "./text-width.ts";

export interface LiveBlock {
  /** Writes lines that stay, above the block. */
  print(text: string): void;
  draw(lines: readonly BlockLine[]): void;
  /** Takes the block away; what was printed stays. */
  close(): void;
}

/** Colour is applied after the text was cut to the terminal's width. */
export interface BlockLine {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

type Terminal = Pick<NodeJS.WriteStream, "write" | "columns" | "rows">;

export function createLiveBlock(terminal: Terminal): LiveBlock {
  let wanted: readonly BlockLine[] = [];
  /** The lines on the screen, as wide as they were drawn. */
  let drawn: readonly string[] = [];

  const columns = () => Math.max(2, terminal.columns || 80);
  // The cursor stands below the block, and what has scrolled out of the screen cannot be redrawn.
  const rows = () => Math.max(1, (terminal.rows || 24) - 1);

  /** To the block's first line, everything from there on erased. A narrowed terminal has wrapped what it shows. */
  function erase(): string {
    const height = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns())), 0);
    drawn = [];
    return height === 0 ? "" : `\r\u001b[${Math.min(height, rows())}A\u001b[J`;
  }

  function redraw(above: string): void {
    const start = erase();
    const shown = wanted.slice(0, rows());
    const texts = shown.map(({ text }) => fit(text, columns() - 1));
    const painted = texts.map((text, at) => `${shown[at]?.paint?.(text) ?? text}\n`);
    drawn = texts;
    // One write, so that the terminal never shows half of it.
    terminal.write(start + above + painted.join(""));
  }

  return {
    print: (text) => redraw(`${text}\n`),
    draw(lines) {
      wanted = lines;
      redraw("");
    },
    close() {
      wanted = [];
      redraw("");
    },
  };
}
