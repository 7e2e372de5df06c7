// A file that names the process which holds something, and nothing but its pid, so that people and scripts can read it. A
// process that was given the same pid later is told apart by when it began.
import { lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAliveSince } from "./process-identity.ts";

/** The pid of whoever holds it and is alive; null: nobody does. */
export async function holderOf(path: string): Promise<number | null> {
  const found = read(path);
  return found !== null && (await isAliveSince(found.pid, found.writtenAt)) ? found.pid : null;
}

/** Takes it for this process, from one that is gone, too. Answers who holds it instead; null: it is ours. */
export async function takePidFile(path: string): Promise<number | null> {
  for (;;) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: "wx", mode: 0o644 });
      return null;
    } catch (error) {
      if (!isThereAlready(error)) throw error;
    }
    const holder = await holderOf(path);
    if (holder !== null) return holder;
    rmSync(path, { recursive: true, force: true });
  }
}

/** Unless it is another's by now. */
export function releasePidFile(path: string): void {
  if (read(path)?.pid === process.pid) rmSync(path, { force: true });
}

function read(path: string): { readonly pid: number; readonly writtenAt: number } | null {
  try {
    const { mtimeMs } = lstatSync(path);
    const text = readFileSync(path, "utf8").trim();
    return /^[1-9]\d{0,9}$/.test(text) ? { pid: Number(text), writtenAt: mtimeMs } : null;
  } catch {
    // Not there, or nothing that could be read: then it names nobody.
    return null;
  }
}

const isThereAlready = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EEXIST";
