// Reads entries of a place: never through a link, never a pipe, and only while the entry is the one that was found.
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { bytesOf, type Place, refuseChanged, unkept } from "./place.ts";
import type { Found } from "./survey.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const blockBytes = 128 * 1024;

/** The bytes of a file, block by block. Answers how many there were. */
export function readBlocks(place: Place, found: Found, take: (block: Buffer) => void): void {
  let descriptor: number;
  try {
    descriptor = openSync(bytesOf(place, found.path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return unkept(found.path)(error);
  }
  try {
    if (!fstatSync(descriptor).isFile()) refuseChanged(found.path);
    let total = 0;
    for (;;) {
      const block = Buffer.allocUnsafe(Math.min(blockBytes, found.size - total + 1));
      const read = readSync(descriptor, block, 0, block.length, null);
      if (read === 0) break;
      total += read;
      if (total > found.size) refuseChanged(found.path);
      take(block.subarray(0, read));
      // A regular file gives less than asked for only at its end.
      if (read < block.length) break;
    }
    if (total !== found.size) refuseChanged(found.path);
  } catch (error) {
    unkept(found.path)(error);
  } finally {
    closeSync(descriptor);
  }
}

export function readWhole(place: Place, found: Found): Buffer {
  const blocks: Buffer[] = [];
  readBlocks(place, found, (block) => blocks.push(block));
  return Buffer.concat(blocks);
}

/** The bytes it had when it was hashed, or none. */
export function readSame(place: Place, found: Found, sha256: string, take: (block: Buffer) => void): void {
  const hash = createHash("sha256");
  readBlocks(place, found, (block) => {
    hash.update(block);
    take(block);
  });
  if (hash.digest("hex") !== sha256) refuseChanged(found.path);
}

export function hashOf(place: Place, found: Found): string {
  const hash = createHash("sha256");
  readBlocks(place, found, (block) => hash.update(block));
  return hash.digest("hex");
}

export function targetOf(place: Place, found: Found): string {
  try {
    return readlinkSync(bytesOf(place, found.path), "buffer").toString("latin1");
  } catch (error) {
    return unkept(found.path)(error);
  }
}
