// What the programs of a task printed last, as it lies in the state home: whole lines, made harmless to show.
import { StringDecoder } from "node:string_decoder";
import { keptOutput, outputOf } from "../../compose.ts";
import { harmless } from "../../kit/escape.ts";
import { createLineSplitter } from "../../kit/lines.ts";
import { KeptFile } from "./kept-file.ts";

/** More is not read back for a screen: what is older is in the file. */
const maxTailBytes = 4_194_304;

/** Reads on where it stopped. */
export class OutputTail {
  readonly #folder: { readonly home: string; readonly task: string };
  #shown: string | null = null;
  readonly #files = new Map<string, { readonly file: KeptFile; readonly lines: ReturnType<typeof linesOf> }>();

  constructor(home: string, task: string) {
    this.#folder = { home, task };
  }

  /**
   * What is new since the last call, at first all of the last attempt, each file under its name. A line that has no end
   * yet is left for the next call, unless this is the last one.
   */
  async read({ isLast }: { readonly isLast: boolean }): Promise<readonly string[]> {
    const files = await keptOutput(this.#folder.home, this.#folder.task);
    const attemptOf = (path: string): number => outputOf(path).attempt;
    const last = Math.max(0, ...files.map(({ path }) => attemptOf(path)));
    const shown: string[] = [];
    for (const { path } of files.filter((file) => attemptOf(file.path) === last)) {
      const { file, lines } = this.#files.get(path) ?? { file: new KeptFile(path, maxTailBytes), lines: linesOf() };
      this.#files.set(path, { file, lines });
      const found: string[] = [];
      await file.read((piece) => void found.push(...lines.push(piece)));
      if (isLast) found.push(...lines.flush());
      if (found.length === 0) continue;
      if (path !== this.#shown) shown.push(`── ${path}`);
      this.#shown = path;
      shown.push(...found);
    }
    return shown;
  }
}

function linesOf() {
  const decoder = new StringDecoder("utf8");
  const splitter = createLineSplitter();
  const shown = (line: string): string => harmless(line);
  return {
    push: (piece: Buffer): readonly string[] => splitter.push(decoder.write(piece)).map(shown),
    flush: (): readonly string[] => splitter.flush().map(shown),
  };
}
