// Reads an output file of the state home on from where it stopped, its older part first.
import { type FileHandle, open } from "node:fs/promises";
import { olderPart } from "../../compose.ts";

const pieceBytes = 65_536;

/** A piece is overwritten by the next one. */
type Take = (piece: Buffer) => void | Promise<void>;

interface Place {
  readonly at: number;
  readonly inode: number;
}

/** A file that was put aside meanwhile is read to its end, then the new one from its start. */
export class KeptFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #place: Place | null = null;

  /** Of each part no more than the last `maxBytes`. */
  constructor(path: string, maxBytes = Number.POSITIVE_INFINITY) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  async read(take: Take): Promise<void> {
    const file = await open(this.#path).catch(() => null);
    if (file === null) return;
    try {
      const { ino: inode } = await file.stat();
      const place = this.#place;
      const isSame = place?.inode === inode;
      // At first, and when it was turned over since: what is older comes before.
      if (!isSame) await this.#readOlder(inode, place, take);
      this.#place = { at: await this.#readOn(file, isSame ? place.at : 0, take), inode };
    } finally {
      await file.close();
    }
  }

  async #readOlder(present: number, place: Place | null, take: Take): Promise<void> {
    const file = await open(olderPart(this.#path)).catch(() => null);
    if (file === null) return;
    try {
      const { ino } = await file.stat();
      // The present one may have become the older one just now.
      if (ino !== present) await this.#readOn(file, place?.inode === ino ? place.at : 0, take);
    } finally {
      await file.close();
    }
  }

  /** Answers where it stopped. */
  async #readOn(file: FileHandle, from: number, take: Take): Promise<number> {
    const { size } = await file.stat();
    const piece = Buffer.alloc(pieceBytes);
    for (let at = Math.max(from, size - this.#maxBytes); ; ) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes, at);
      if (bytesRead === 0) return at;
      await take(piece.subarray(0, bytesRead));
      at += bytesRead;
    }
  }
}
