// What was recorded of a task's attempts, read on from where it stopped: agents as their driver reads them, other
// programs as text, each under its name. However much there is, no more than a piece of it is held.
import { StringDecoder } from "node:string_decoder";
import { keptOutput, outputOf, transcriptOf } from "../../compose.ts";
import { harmless } from "../../kit/escape.ts";
import { createLineSplitter } from "../../kit/lines.ts";
import { KeptFile } from "./kept-file.ts";
import { type Look, transcriptLines } from "./transcript-text.ts";

export interface TranscriptOptions {
  readonly home: string;
  readonly task: string;
  /** From this attempt on; null: from the last one there is. */
  readonly from: number | null;
  /** And no further. */
  readonly only: boolean;
  /** What agents printed, as it is, and nothing else. */
  readonly raw: boolean;
  readonly look: Look & { readonly isTerminal: boolean };
  /** Nothing more is read while it is pending. */
  readonly print: (text: string) => Promise<void>;
}

/** Texts with the ends of their lines. */
interface Reading {
  push(piece: Buffer): readonly string[];
  flush(): readonly string[];
}

/** A longer line is passed over: no agent's own is as long. */
const longestLine = 8_388_608;

export class Transcript {
  readonly #options: TranscriptOptions;
  readonly #files = new Map<string, { readonly file: KeptFile; readonly reading: Reading }>();
  #from: number | null;
  #shown: string | null = null;

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#from = options.from;
  }

  /** Prints what is new; a line that has no end yet only if this is the last call. */
  async read({ isLast }: { readonly isLast: boolean }): Promise<void> {
    for (const path of await this.#paths()) {
      const { file, reading } = this.#files.get(path) ?? { file: new KeptFile(path), reading: this.#readingOf(path) };
      this.#files.set(path, { file, reading });
      await file.read((piece) => this.#print(path, reading.push(piece)));
      if (isLast) await this.#print(path, reading.flush());
    }
  }

  /** Whether there was anything. */
  get isEmpty(): boolean {
    return this.#shown === null;
  }

  async #paths(): Promise<readonly string[]> {
    const { home, task, raw, only } = this.#options;
    const files = (await keptOutput(home, task)).map(({ path }) => ({ path, ...outputOf(path) }));
    this.#from ??= files.length === 0 ? null : Math.max(...files.map(({ attempt }) => attempt));
    const from = this.#from ?? 0;
    return files
      .filter(({ attempt }) => (only ? attempt === from : attempt >= from))
      .filter(({ what }) => !raw || what.startsWith("agent-"))
      .sort((a, b) => a.attempt - b.attempt)
      .map(({ path }) => path);
  }

  async #print(path: string, texts: readonly string[]): Promise<void> {
    const { raw, look, print } = this.#options;
    for (const text of texts) {
      if (path !== this.#shown && !raw) await print(`${look.paint("yellow", `── ${titleOf(path)}`)}\n`);
      this.#shown = path;
      await print(text);
    }
  }

  #readingOf(path: string): Reading {
    const { raw, look } = this.#options;
    if (raw) return asItIs(look.isTerminal);
    const read = transcriptOf(outputOf(path).form);
    if (read === null) return byLines((line) => [harmless(line)]);
    return byLines((line) => read(line).flatMap((event) => transcriptLines(event, look)), longestLine);
  }
}

function titleOf(path: string): string {
  const { attempt, what } = outputOf(path);
  const [, iteration] = /^agent-(\d+)$/.exec(what) ?? [];
  return `attempt ${attempt}, ${iteration === undefined ? what : `iteration ${iteration}`}`;
}

function byLines(show: (line: string) => readonly string[], max = 65_536): Reading {
  const decoder = new StringDecoder("utf8");
  const splitter = createLineSplitter(max);
  const isShown = max === longestLine ? wholeOnly(max) : () => true;
  const texts = (lines: readonly string[]): readonly string[] =>
    lines
      .filter(isShown)
      .flatMap(show)
      .map((line) => `${line}\n`);
  return {
    push: (piece) => texts(splitter.push(decoder.write(piece))),
    flush: () => texts(splitter.flush()),
  };
}

/** Pieces of a line that is too long come one after another, and then its rest. */
function wholeOnly(max: number): (line: string) => boolean {
  let inPieces = false;
  return (line) => {
    const isPart = inPieces || line.length >= max;
    inPieces = line.length >= max;
    return !isPart;
  };
}

/** Byte by byte for a program; on a terminal nothing in it may act. */
function asItIs(isTerminal: boolean): Reading {
  const decoder = new StringDecoder("utf8");
  const shown = (text: string): readonly string[] => {
    const lines = text.split(/(?<=\n)/).filter((line) => line !== "");
    if (!isTerminal) return lines;
    return lines.map((line) =>
      line.endsWith("\n") ? `${harmless(line.slice(0, -1), Infinity)}\n` : harmless(line, Infinity),
    );
  };
  return { push: (piece) => shown(decoder.write(piece)), flush: () => shown(decoder.end()) };
}
