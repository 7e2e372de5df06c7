// Reads the last row of a table straight from a file of SQLite: a few pages, without loading a library.
//
// Format: https://sqlite.org/fileformat2.html. Whatever is not exactly as expected is answered with null – a file in
// WAL mode, a transaction that is being written, a row of unusual size – and the caller asks SQLite itself.
import { closeSync, openSync, readSync, statSync } from "node:fs";

export interface LastRow {
  readonly rowid: number;
  readonly values: readonly (string | number | null)[];
}

const headerBytes = 100;
const tableLeaf = 0x0d;
const tableInterior = 0x05;
const maxDepth = 20;
const maxPayload = 2 ** 20;

/**
 * Must not be called in a process that has the file open with SQLite: closing any descriptor of a file drops the locks
 * that this process holds on it.
 *
 * No lock is taken. A transaction that is writing pages has a rollback journal with something in it, and one that has
 * ended has raised the change counter: if neither is seen before or after, the pages in between belong together.
 */
export function lastRowOf(path: string, table: string): LastRow | null {
  if (isBeingWritten(path)) return null;
  const fd = openSync(path, "r");
  try {
    const header = read(fd, 0, headerBytes);
    const file = pagesOf(fd, header);
    const root = file && rootPageOf(file, table);
    const row = file && root !== null ? lastOf(file, root) : null;
    const same = header.equals(read(fd, 0, headerBytes));
    return same && !isBeingWritten(path) ? row : null;
  } catch (error) {
    if (error instanceof Odd || error instanceof RangeError) return null;
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Also true for what a crash left there: only SQLite can tell what the file is worth then. */
const isBeingWritten = (path: string): boolean =>
  (statSync(`${path}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

class Odd extends Error {}

interface Pages {
  /** Bytes of a page that hold content. */
  readonly usable: number;
  page(number: number): Buffer;
}

function pagesOf(fd: number, header: Buffer): Pages | null {
  const [writeVersion, readVersion, reserved] = [header[18], header[19], header[20] ?? 0];
  const isKnown = header.toString("latin1", 0, 16) === "SQLite format 3\0" && writeVersion === 1 && readVersion === 1;
  if (!isKnown || header.readUInt32BE(56) !== 1) return null;
  const size = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  return { usable: size - reserved, page: (number) => read(fd, (number - 1) * size, size) };
}

function read(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (offset < 0 || readSync(fd, bytes, 0, length, offset) !== length) throw new Odd();
  return bytes;
}

/** The rows of sqlite_schema are: type, name, tbl_name, rootpage, sql. */
function rootPageOf(file: Pages, table: string): number | null {
  for (const { values } of rowsUnder(file, 1, maxDepth)) {
    const [type, name, , root] = values;
    if (type === "table" && name === table && typeof root === "number") return root;
  }
  return null;
}

function* rowsUnder(file: Pages, number: number, depth: number): Generator<LastRow> {
  const node = nodeOf(file, number, depth);
  if (node.isLeaf) for (const cell of node.cells) yield rowAt(file, node.page, cell);
  else for (const child of node.children()) yield* rowsUnder(file, child, depth - 1);
}

function lastOf(file: Pages, root: number): LastRow | null {
  for (let number = root, depth = maxDepth; ; depth -= 1) {
    const node = nodeOf(file, number, depth);
    const cell = node.cells.at(-1);
    if (node.isLeaf) return cell === undefined ? null : rowAt(file, node.page, cell);
    number = node.right;
  }
}

function nodeOf(file: Pages, number: number, depth: number) {
  if (depth === 0) throw new Odd();
  const page = file.page(number);
  const start = number === 1 ? headerBytes : 0;
  const type = page[start];
  if (type !== tableLeaf && type !== tableInterior) throw new Odd();
  const isLeaf = type === tableLeaf;
  const first = start + (isLeaf ? 8 : 12);
  const cells = Array.from({ length: page.readUInt16BE(start + 3) }, (_, n) => page.readUInt16BE(first + 2 * n));
  const right = isLeaf ? 0 : page.readUInt32BE(start + 8);
  return { page, isLeaf, cells, right, children: () => [...cells.map((cell) => page.readUInt32BE(cell)), right] };
}

function rowAt(file: Pages, page: Buffer, cell: number): LastRow {
  const length = varint(page, cell);
  const rowid = varint(page, length.next);
  return { rowid: rowid.value, values: valuesOf(payloadAt(file, page, rowid.next, length.value)) };
}

function payloadAt(file: Pages, page: Buffer, start: number, length: number): Buffer {
  const { usable } = file;
  if (length > maxPayload) throw new Odd();
  if (length <= usable - 35) return page.subarray(start, start + length);
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((length - least) % (usable - 4));
  const local = fitting <= usable - 35 ? fitting : least;
  const parts = [page.subarray(start, start + local)];
  let next = page.readUInt32BE(start + local);
  for (let left = length - local; left > 0; left -= usable - 4) {
    const overflow = file.page(next);
    parts.push(overflow.subarray(4, 4 + Math.min(left, usable - 4)));
    next = overflow.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function valuesOf(payload: Buffer): readonly (string | number | null)[] {
  const header = varint(payload, 0);
  const values: (string | number | null)[] = [];
  let at = header.value;
  for (let place = header.next; place < header.value; ) {
    const serial = varint(payload, place);
    const { value, size } = valueAt(payload, at, serial.value);
    values.push(value);
    at += size;
    place = serial.next;
  }
  return values;
}

const integerBytes = [0, 1, 2, 3, 4, 6] as const;

function valueAt(payload: Buffer, at: number, serial: number): { value: string | number | null; size: number } {
  if (serial === 0) return { value: null, size: 0 };
  if (serial <= 5) return { value: payload.readIntBE(at, integerBytes[serial] ?? 0), size: integerBytes[serial] ?? 0 };
  if (serial === 6) return { value: Number(payload.readBigInt64BE(at)), size: 8 };
  if (serial === 7) return { value: payload.readDoubleBE(at), size: 8 };
  if (serial === 8 || serial === 9) return { value: serial - 8, size: 0 };
  // 10, 11 are not in use, even numbers are blobs.
  if (serial < 12 || serial % 2 === 0) throw new Odd();
  const size = (serial - 13) / 2;
  if (at + size > payload.length) throw new Odd();
  return { value: payload.toString("utf8", at, at + size), size };
}

/** Up to 9 bytes, 7 bits each, most significant first; numbers past 2^53 are none of ours. */
function varint(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  for (let n = 0; n < 8; n += 1) {
    const byte = bytes.readUInt8(at + n);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next: at + n + 1 };
  }
  throw new Odd();
}
