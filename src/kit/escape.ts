// Makes any text safe to show as one line: nothing in it can start a line, move the cursor or reorder what is read.

// Control characters; line and paragraph separators; bidi controls, zero-width and other invisible characters, all of
// them format characters; halves of characters; tags that hide text, also those not assigned yet.
const hidden = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029\u2065\u{e0000}-\u{e007f}]/gu;
const plain = /^[\x20-\x7e]*$/;
const cutMark = "…";

/** At most `max` UTF-16 units long. Cuts neither a character nor an escape in two. Done twice, it changes nothing. */
export function oneLine(text: string, max = 4096): string {
  // Nearly all texts: nothing in them is hidden, and the long pattern need not even be compiled.
  if (text.length <= max && plain.test(text)) return text;
  // Escaping only lengthens, so what is past `max` here cannot be needed.
  const escaped = text.slice(0, max + 1).replace(hidden, visible);
  if (escaped.length <= max) return escaped;
  const room = Math.max(0, max - cutMark.length);
  let end = 0;
  for (const piece of escaped.match(pieces) ?? []) {
    if (end + piece.length > room) break;
    end += piece.length;
  }
  return escaped.slice(0, end) + cutMark.slice(0, max);
}

/** As `oneLine`, of any length; columns stay columns. */
export const harmless = (line: string, max?: number): string =>
  line
    .split("\t")
    .map((part) => oneLine(part, max))
    .join("\t");

const pieces = /\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\}|[nrt])|./gsu;
const shortForms: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function visible(character: string): string {
  const short = shortForms[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}
