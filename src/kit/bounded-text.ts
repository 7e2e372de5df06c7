// Keeps the beginning and the end of a text of any length in memory of a fixed size.

export interface BoundedText {
  push(text: string): void;
  /** Never cuts a character. */
  text(): string;
}

/** Gives all of a text, or its head and tail with a mark of what is missing between them. */
export function createBoundedText(limits: { readonly headBytes: number; readonly tailBytes: number }): BoundedText {
  const head = Buffer.alloc(limits.headBytes);
  const tail = createRing(limits.tailBytes);
  let headLength = 0;
  let tailLength = 0;

  return {
    push(text) {
      if (headLength === head.length) {
        tailLength += Buffer.byteLength(text);
        tail.push(endOf(text, limits.tailBytes));
        return;
      }
      const bytes = Buffer.from(text, "utf8");
      const copied = bytes.copy(head, headLength);
      headLength += copied;
      tailLength += bytes.length - copied;
      tail.push(bytes.subarray(copied));
    },
    text() {
      const kept = head.subarray(0, headLength);
      const end = tail.read();
      if (tailLength <= end.length) return Buffer.concat([kept, end]).toString("utf8");
      const whole = kept.subarray(0, lastBoundary(kept));
      const rest = end.subarray(firstBoundary(end));
      const leftOut = headLength - whole.length + tailLength - rest.length;
      const opening = whole.length === 0 ? "" : `${whole.toString("utf8")}\n`;
      return `${opening}… ${leftOut} bytes left out …\n${rest.toString("utf8")}`;
    },
  };
}

/** Keeps only the end, without a mark. */
export function createTextTail(bytes: number): BoundedText {
  const ring = createRing(bytes);
  return {
    push: (text) => ring.push(endOf(text, bytes)),
    text() {
      const end = ring.read();
      return end.subarray(firstBoundary(end)).toString("utf8");
    },
  };
}

/** At least the last so many bytes: no more is copied out of a long text than can be kept. */
const endOf = (text: string, bytes: number): Buffer => Buffer.from(bytes === 0 ? "" : text.slice(-bytes), "utf8");

function createRing(size: number): { push(bytes: Buffer): void; read(): Buffer } {
  const ring = Buffer.alloc(size);
  let next = 0;
  let filled = 0;
  return {
    push(bytes) {
      let rest = bytes.subarray(Math.max(0, bytes.length - size));
      filled = Math.min(size, filled + rest.length);
      while (rest.length > 0) {
        const copied = rest.copy(ring, next);
        next = (next + copied) % size;
        rest = rest.subarray(copied);
      }
    },
    read: () =>
      filled < size ? ring.subarray(0, filled) : Buffer.concat([ring.subarray(next), ring.subarray(0, next)]),
  };
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Where the first whole character starts. */
function firstBoundary(bytes: Buffer): number {
  const index = bytes.findIndex((byte) => !isContinuation(byte));
  return index === -1 ? bytes.length : index;
}

/** Where the last whole character ends. */
function lastBoundary(bytes: Buffer): number {
  const start = bytes.findLastIndex((byte) => !isContinuation(byte));
  const lead = bytes[start];
  if (lead === undefined) return 0;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return start + length <= bytes.length ? bytes.length : start;
}
