// Reads a child's output as text, at the pace of whoever takes it.
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Rewrites a text that comes in pieces; what it holds back comes with a later piece or with `flush`. */
export interface TextFilter {
  push(text: string): string;
  flush(): string;
}

export interface ReadOptions {
  readonly filter?: TextFilter | undefined;
  /** Nothing more is read while the promise it answers is pending. Pieces never split a character. */
  take(text: string): void | Promise<void>;
}

export interface OutputReader {
  bytes(): number;
  /** Resolves when all was read and taken, or `cutOff` gave up on the rest; rejects with what `take` threw. */
  readonly done: Promise<void>;
  /**
   * Called once every writer that we know of is dead. Strangers may still hold the pipe open, and even write to it,
   * so from now on only what a pipe can hold is read, and only for a short while – the taker's own time not counted.
   */
  cutOff(): void;
}

const plainText: TextFilter = { push: (text) => text, flush: () => "" };
const idleMs = 250;
const maxIdleTicks = 8;
/** The largest pipe a program may ask Linux for without privilege. */
const maxPipeBytes = 1_048_576;
/** Texts built from larger ones go where the collector seldom looks, and a flood would pile them up there. */
const pieceBytes = 16_384;

export function readOutput(stream: Readable, options: ReadOptions): OutputReader {
  const decoder = new StringDecoder("utf8");
  const filter = options.filter ?? plainText;
  let bytes = 0;
  let limit = Number.POSITIVE_INFINITY;
  let state: "reading" | "taking" | "cut off" | "done" = "reading";
  let watch: NodeJS.Timeout | undefined;

  const take = async (text: string): Promise<void> => {
    if (text === "") return;
    state = "taking";
    await options.take(text);
    state = "reading";
  };

  const readAll = async (): Promise<void> => {
    try {
      for await (const chunk of stream) {
        bytes += chunk.length;
        for (let at = 0; at < chunk.length; at += pieceBytes)
          await take(filter.push(decoder.write(chunk.subarray(at, at + pieceBytes))));
        if (bytes >= limit) break;
      }
    } catch (error) {
      if (state !== "cut off") throw error;
    }
    await take(filter.push(decoder.end()) + filter.flush());
  };

  return {
    bytes: () => bytes,
    done: readAll().finally(() => {
      state = "done";
      clearInterval(watch);
      stream.destroy();
    }),
    cutOff() {
      if (state === "done" || watch !== undefined) return;
      limit = bytes + maxPipeBytes;
      let seen = bytes;
      let ticks = 0;
      watch = setInterval(() => {
        if (state === "taking") return;
        ticks += 1;
        if (seen === bytes || ticks === maxIdleTicks) {
          state = "cut off";
          stream.destroy();
        }
        seen = bytes;
      }, idleMs);
    },
  };
}
