// All output files of a mission: counted once, then kept count of, and the oldest removed when there are too many.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { olderPart } from "../../kit/rotated-file.ts";

export interface ShelfLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

export interface ShelvedFile {
  readonly path: string;
  /** With its older part. */
  readonly bytes: number;
  readonly changedAt: number;
}

export class Shelf {
  readonly #folder: string;
  readonly #limits: ShelfLimits;
  /** Oldest first. */
  #files: Map<string, number> | null = null;

  constructor(folder: string, limits: ShelfLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** A file was written and is closed; it is the newest now. */
  async took(path: string, bytes: number): Promise<void> {
    this.#files ??= new Map((await filesIn(this.#folder)).map((file) => [file.path, file.bytes]));
    const files = this.#files;
    files.delete(path);
    files.set(path, bytes);
    let total = [...files.values()].reduce((sum, size) => sum + size, 0);
    for (const [oldest, size] of files) {
      const fits = total <= this.#limits.maxBytes && files.size <= this.#limits.maxFiles;
      if (fits || oldest === path) return;
      files.delete(oldest);
      total -= size;
      for (const part of [oldest, olderPart(oldest)]) await rm(part, { force: true });
    }
  }
}

/** Oldest first; nothing where there is no folder. */
export async function filesIn(folder: string): Promise<readonly ShelvedFile[]> {
  const tasks = await readdir(folder).catch(() => []);
  const found = await Promise.all(tasks.map((task) => filesOf(join(folder, task))));
  return found.flat().sort((a, b) => a.changedAt - b.changedAt);
}

/** Those of one task. */
export async function filesOf(folder: string): Promise<readonly ShelvedFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".log"));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const parts = await Promise.all([path, olderPart(path)].map((part) => stat(part).catch(() => null)));
      const bytes = parts.reduce((sum, part) => sum + (part?.size ?? 0), 0);
      return { path, bytes, changedAt: Math.max(...parts.map((part) => part?.mtimeMs ?? 0)) };
    }),
  );
  return files.sort((a, b) => a.changedAt - b.changedAt);
}
