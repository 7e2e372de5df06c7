// Whether a file is what its name says. Only what is certainly wrong counts: who is unsure lets it pass.
import { isDamagedJson, parseStrictJson } from "../../protocol/strict-json.ts";

/** Of a large file only the beginning and the end are looked at. */
export interface Content {
  readonly size: number;
  readonly head: Buffer;
  readonly tail: Buffer;
  /** All of it; null: too large to be read whole. */
  readonly whole: Buffer | null;
}

/** Null: nothing is wrong with it. */
type Check = (content: Content) => string | null;

const beginsWith =
  (what: string, ...beginnings: readonly string[]): Check =>
  ({ head }) =>
    beginnings.some((bytes) => head.subarray(0, bytes.length).equals(Buffer.from(bytes, "latin1")))
      ? null
      : `does not begin as ${what} does`;

const text: Check = ({ head, whole }) => {
  if (isOtherUnicode(head)) return null;
  const shown = decoded(whole ?? head, whole === null);
  if (shown === null) return "is not UTF-8 text";
  return whole !== null && shown.trim() === "" ? "is blank" : null;
};

const json: Check = (content) => {
  const wrong = text(content);
  if (wrong !== null || content.whole === null || isOtherUnicode(content.head)) return wrong;
  return jsonProblem(decoded(content.whole, false) ?? "");
};

/** One JSON value in each line; blank ones are nothing. */
const lines: Check = (content) => {
  const wrong = text(content);
  if (wrong !== null || content.whole === null || isOtherUnicode(content.head)) return wrong;
  const all = (decoded(content.whole, false) ?? "").split("\n");
  for (const [at, line] of all.entries()) {
    const problem = line.trim() === "" ? null : jsonProblem(line, at + 1);
    if (problem !== null) return problem;
  }
  return null;
};

/** Keys that stand there twice, or numbers beyond ours, are still JSON. `first`: the number of its first line. */
function jsonProblem(value: string, first = 1): string | null {
  if (!isDamagedJson(value)) return null;
  const parsed = parseStrictJson(value, "");
  const what = parsed.ok ? "" : parsed.failure.message;
  const [, line = "1", column = "1", why = what] = /^:(\d+):(\d+): (.*)$/s.exec(what) ?? [];
  return `is no JSON (line ${first + Number(line) - 1}, column ${column}: ${why})`;
}

/** Markup may come in other encodings: signs of it are ASCII in all that are not UTF-16. */
const markup =
  (what: string, sign: RegExp): Check =>
  ({ head, whole }) => {
    if (isOtherUnicode(head)) return null;
    const shown = (whole ?? head).toString("latin1").replace(/^\xef\xbb\xbf/, "");
    if (shown.trim() === "") return "is blank";
    return sign.test(shown) ? null : `does not look like ${what}`;
  };

const pdf: Check = ({ head, tail }) => {
  if (!head.subarray(0, 1_024).includes("%PDF-")) return "does not begin as a PDF does (%PDF-)";
  return tail.subarray(-1_024).includes("%%EOF") ? null : "does not end as a PDF does (%%EOF): it was cut off";
};

const webp: Check = ({ head }) =>
  head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP"
    ? null
    : "does not begin as a WebP image does";

const zip = beginsWith("a ZIP archive", "PK\x03\x04", "PK\x05\x06");
const jpeg = beginsWith("a JPEG image", "\xff\xd8\xff");

const checks: Readonly<Record<string, Check>> = {
  json,
  ndjson: lines,
  jsonl: lines,
  md: text,
  txt: text,
  html: markup("HTML: it has no element", /<(?:!doctype\s+html|[a-z][a-z0-9-]*)[\s/>]/i),
  htm: markup("HTML: it has no element", /<(?:!doctype\s+html|[a-z][a-z0-9-]*)[\s/>]/i),
  svg: markup("SVG", /^\s*<(?:[\s\S]*<)?svg[\s:>]/i),
  xml: markup("XML", /^\s*</),
  csv: ({ head, whole }) =>
    whole !== null && !isOtherUnicode(head) && whole.toString("latin1").trim() === "" ? "is blank" : null,
  pdf,
  png: beginsWith("a PNG image", "\x89PNG\r\n\x1a\n"),
  jpg: jpeg,
  jpeg,
  gif: beginsWith("a GIF image", "GIF87a", "GIF89a"),
  webp,
  zip,
  docx: zip,
  xlsx: zip,
  pptx: zip,
};

/** What is wrong with it, as the end of a sentence that begins with its name; null: nothing. */
export function problemOf(name: string, content: Content): string | null {
  if (content.size === 0) return "is empty";
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(checks, extension) ? (checks[extension]?.(content) ?? null) : null;
}

/** UTF-16 or UTF-32 by its mark: no text of ours, but text. */
const isOtherUnicode = (head: Buffer): boolean =>
  head.length >= 2 && ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff));

/** Null: it is no UTF-8. A beginning may end in the middle of a character. */
function decoded(bytes: Buffer, isCut: boolean): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}
