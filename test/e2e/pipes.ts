// Named pipes: a test and an agent wait for each other without looking at a clock.
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Pipe {
  readonly path: string;
  /** Resolves with what somebody writes. */
  heard(): Promise<string>;
  /** Resolves when somebody reads it. */
  say(text: string): Promise<void>;
}

export function createPipe(folder: string, name: string): Pipe {
  const path = join(folder, name);
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);
  return {
    path,
    heard: async () => (await readFile(path, "utf8")).trim(),
    say: (text) => writeFile(path, `${text}\n`),
  };
}
