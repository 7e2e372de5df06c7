// Whether an agent promised that it is done (I2). Only its last message is heard, and only what it says in its own
// voice: a promise in a quote, in code or in the middle of a sentence is talk about promises.

/** `near`: the line that comes closest, if one speaks of it. */
export type Heard = { readonly kept: true } | { readonly kept: false; readonly near: string | null };

const longestNear = 200;

export function hearPromise(message: string, promise: string): Heard {
  const wanted = plain(promise);
  const lines = message.split("\n");
  const own = inOwnVoice(lines);
  const last = own.at(-1);
  if (last !== undefined && last.number === lastNonEmpty(lines) && plain(last.text) === wanted) return { kept: true };
  const tags = [
    ...own
      .map(({ text }) => withoutCode(text))
      .join("\n")
      .matchAll(/<promise>([^<]*)<\/promise>/g),
  ];
  if (tags.length > 0 && plain(tags.at(-1)?.[1] ?? "") === wanted) return { kept: true };
  return { kept: false, near: nearest(lines, wanted, tags.length > 0) };
}

/** Whitespace says nothing. */
const plain = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/** What stood there stays a gap: a tag around code is not a tag around the words beside it. */
const withoutCode = (line: string): string => line.replaceAll(/(`+)[^`]*\1/g, "\0");

const lastNonEmpty = (lines: readonly string[]): number => lines.findLastIndex((line) => line.trim() !== "");

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Non-empty lines outside of fences and quotes. A fence that is not closed goes on to the end. */
function inOwnVoice(lines: readonly string[]): readonly Line[] {
  const own: Line[] = [];
  let fence: string | null = null;
  lines.forEach((text, number) => {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(text);
    if (fence !== null) {
      const closes = mark?.[1]?.startsWith(fence) === true && mark[2]?.trim() === "";
      if (closes) fence = null;
    } else if (mark?.[1] !== undefined) fence = mark[1];
    else if (text.trim() !== "" && !/^\s*>/.test(text)) own.push({ number, text });
  });
  return own;
}

/** The last line that holds the words, however they are written. */
function nearest(lines: readonly string[], wanted: string, hasTag: boolean): string | null {
  const letters = (text: string): string =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  const words = letters(wanted);
  const line = lines.findLast(
    (text) => (words !== "" && letters(text).includes(words)) || (hasTag && text.includes("<promise>")),
  );
  return line === undefined ? null : plain(line).slice(0, longestNear);
}
