// A text as numbers. Asked for its characters one by one, a text is slow; whoever looks at each of them asks for all.

let units = new Uint16Array(0);
/** A text beyond this has an array of its own, which goes with it. */
const maxKept = 262_144;

/** UTF-16 code units, right until the next call; the array may be longer than the text. */
export function codeUnitsOf(text: string): Uint16Array {
  const array = text.length <= units.length ? units : new Uint16Array(Math.max(16_384, text.length));
  if (array.length <= maxKept) units = array;
  Buffer.from(array.buffer).write(text, "utf16le");
  if (!isLittleEndian) swap(array, text.length);
  return array;
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
function swap(array: Uint16Array, length: number): void {
  for (let at = 0; at < length; at += 1) {
    const unit = array[at] ?? 0;
    array[at] = ((unit & 255) << 8) | (unit >> 8);
  }
}
