// The vault: what must not go into a repository. Small files lie one after another in one file, so that they cost one
// sync; large ones have a file each, with the holes they had. Nothing here has a name that an agent chose.
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { namingFile } from "../../kit/file-error.ts";
import type { RescueEntry } from "../../protocol/rescue.ts";
import { refuseUnkept } from "./place.ts";

const blockBytes = 128 * 1024;
const smallBytes = 2 ** 20;
const smallFiles = "bytes";

type InVault = Extract<RescueEntry["kept"], { in: "vault" }>;

/** Hands over a file's bytes, block by block. */
export type Source = (take: (block: Buffer) => void) => void;

export class VaultDraft {
  readonly directory: string;
  readonly #bytes: number;
  readonly #large = new Set<string>();
  #end = 0;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { mode: 0o700 });
    this.#bytes = openSync(join(directory, smallFiles), "wx", 0o600);
  }

  /** On the disk only after `sync`. */
  add(size: number, sha256: string, source: Source): InVault {
    if (size > smallBytes) return this.#addLarge(size, sha256, source);
    const at = this.#end;
    source((block) => {
      writeAll(this.#bytes, block, this.#end);
      this.#end += block.length;
    });
    return { in: "vault", file: smallFiles, at };
  }

  #addLarge(size: number, sha256: string, source: Source): InVault {
    if (!this.#large.has(sha256)) {
      this.#large.add(sha256);
      const path = join(this.directory, sha256);
      const descriptor = openSync(path, "wx", 0o600);
      try {
        writeSparsely(descriptor, size, source);
        fsyncSync(descriptor);
      } catch (error) {
        namingFile(path)(error);
      } finally {
        closeSync(descriptor);
      }
    }
    return { in: "vault", file: sha256, at: 0 };
  }

  sync(): void {
    fsyncSync(this.#bytes);
  }

  close(): void {
    closeSync(this.#bytes);
  }
}

const zeros = Buffer.alloc(blockBytes);

/** Blocks of zeros become holes. */
export function writeSparsely(descriptor: number, size: number, source: Source): void {
  let at = 0;
  source((block) => {
    const isHole = block.length >= 4096 && zeros.subarray(0, block.length).equals(block);
    if (!isHole) writeAll(descriptor, block, at);
    at += block.length;
  });
  ftruncateSync(descriptor, size);
}

export function writeAll(descriptor: number, block: Buffer, at: number): void {
  for (let done = 0; done < block.length; ) done += writeSync(descriptor, block, done, block.length - done, at + done);
}

/** The kept bytes of an entry. Refused by its name when they cannot be had. */
export function fromVault(directory: string, entry: RescueEntry, take: (block: Buffer) => void): void {
  if (entry.kept.in !== "vault") throw new Error(`${entry.path} is not in the vault`);
  const { file, at } = entry.kept;
  let left = entry.size;
  try {
    const descriptor = openSync(join(directory, file), "r");
    try {
      while (left > 0) {
        const block = Buffer.allocUnsafe(Math.min(blockBytes, left));
        const read = readSync(descriptor, block, 0, block.length, at + entry.size - left);
        if (read === 0) break;
        left -= read;
        take(block.subarray(0, read));
      }
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    refuseUnkept(entry.path, `${join(directory, file)}: ${error.message}`);
  }
  if (left > 0) refuseUnkept(entry.path, `${join(directory, file)} ends too early`);
}

export function hashInVault(directory: string, entry: RescueEntry): string {
  const hash = createHash("sha256");
  fromVault(directory, entry, (block) => hash.update(block));
  return hash.digest("hex");
}
