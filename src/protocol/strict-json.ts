// JSON that means one thing only. JSON.parse keeps the last of two equal keys, takes `__proto__` as a name, turns 1e400
// into Infinity, changes integers above 2^53 and overflows the stack on deep nesting: here each of these is refused.
import { type Failure, failed, type Outcome, succeeded } from "./failure.ts";

/** In UTF-16 units; a text of this size is scanned in seconds. */
export const maxJsonLength = 64 * 1024 * 1024;
export const maxJsonDepth = 100;
const maxNumberLength = 400;

const unsafeKeys = new Set(["__proto__", "constructor", "prototype"]);

interface Problem {
  readonly at: number;
  readonly what: string;
  readonly next: string;
  /** The text is no JSON at all, as a crash or a slip of the hand leaves it; otherwise it is JSON that we refuse. */
  readonly damaged: boolean;
}
interface Refusal {
  readonly problem: Problem;
}
type Scan = { readonly value: unknown; readonly problem: null } | Refusal;

/** The value, or one line that names the file, the place in it and what to do. Never throws. */
export function parseStrictJson(text: string, name: string): Outcome<unknown> {
  const scan = scanJson(text);
  return scan.problem === null ? succeeded(scan.value) : failed(failureOf(scan.problem, text, name));
}

/** Whether a refused text is no JSON at all: then nothing in it was meant, and a copy may take its place (F5). */
export function isDamagedJson(text: string): boolean {
  const { problem } = scanJson(text);
  return problem?.damaged === true;
}

/** Any text as a short quotation of one line, safe to show. */
export function quoted(text: string, max = 60): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;
  return visibly(JSON.stringify(cut));
}

/** `tasks[3].depends_on[0]`, as people read it. */
export const fieldPath = (parts: readonly (string | number)[]): string =>
  parts
    .map((part) => {
      if (typeof part === "number") return `[${part}]`;
      return /^[A-Za-z_$][\w$-]{0,63}$/.test(part) ? `.${part}` : `[${quoted(part)}]`;
    })
    .join("")
    .replace(/^\./, "");

/** A file's name in a message: one line, and of a very long one its end. */
export const shownName = (name: string): string => visibly(name.length > 300 ? `…${name.slice(-300)}` : name);

const visibly = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`);

function failureOf({ at, what, next }: Problem, text: string, name: string): Failure {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  return { kind: "config", message: `${shownName(name)}:${line}:${at - start + 1}: ${what}`, remedy: next };
}

const refused = (at: number, what: string, next: string): Refusal => ({
  problem: { at, what, next, damaged: false },
});
const damage = (
  at: number,
  what: string,
  next = "Mend the text at this place, or put a good copy there.",
): Refusal => ({
  problem: { at, what, next, damaged: true },
});

function scanJson(text: string): Scan {
  if (text.length > maxJsonLength) {
    return refused(0, `the file is larger than ${maxJsonLength / 1024 / 1024} MB`, "Make it smaller.");
  }
  if (text.charCodeAt(0) === 0xfeff) {
    return refused(0, "the file starts with a byte order mark", 'Save it as "UTF-8", not as "UTF-8 with BOM".');
  }
  const nul = text.indexOf("\0");
  if (nul !== -1) {
    return damage(nul, "the file contains a NUL character", "Put a good copy there, saved as UTF-8.");
  }
  return new Scanner(text).run();
}

/** An open container: in an object `key` names the value that comes next, and is null before its first name. */
interface Frame {
  readonly list: unknown[] | null;
  readonly fields: Record<string, unknown>;
  key: string | null;
}

/** What one step found: the value and where it ends. */
type Token = { readonly value: unknown; readonly end: number; readonly problem: null } | Refusal;

const code = (character: string): number => character.charCodeAt(0);
const quote = code('"');
const backslash = code("\\");
const comma = code(",");
const openBrace = code("{");
const closeBrace = code("}");
const openBracket = code("[");
const closeBracket = code("]");

/** Keeps its own stack, so nesting costs no call depth; looks at each character a bounded number of times. */
class Scanner {
  readonly #text: string;
  readonly #frames: Frame[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): Scan {
    for (;;) {
      this.#skipBlank();
      const first = this.#text.charCodeAt(this.#at);
      let value: unknown;
      if (first === openBrace || first === openBracket) {
        if (this.#frames.length === maxJsonDepth) {
          return refused(this.#at, `nested deeper than ${maxJsonDepth} levels`, "Flatten what stands there.");
        }
        const frame: Frame = { list: first === openBracket ? [] : null, fields: {}, key: null };
        this.#at += 1;
        this.#skipBlank();
        if (this.#text.charCodeAt(this.#at) !== closerOf(frame)) {
          this.#frames.push(frame);
          const problem = frame.list === null ? this.#readKey(frame) : null;
          if (problem !== null) return problem;
          continue;
        }
        this.#at += 1;
        value = frame.list ?? frame.fields;
      } else {
        const token = first === quote ? this.#string() : this.#bare();
        if (token.problem !== null) return token;
        value = token.value;
        this.#at = token.end;
      }
      const end = this.#store(value);
      if (end !== null) return end;
    }
  }

  /** Puts a value where it belongs and closes what ends after it; null when another value is to follow. */
  #store(found: unknown): Scan | null {
    let value = found;
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.list === null) frame.fields[frame.key ?? ""] = value;
      else frame.list.push(value);
      this.#skipBlank();
      const next = this.#text.charCodeAt(this.#at);
      if (next === comma) {
        this.#at += 1;
        this.#skipBlank();
        if (this.#text.charCodeAt(this.#at) === closerOf(frame)) {
          return damage(this.#at, `a comma without anything after it${this.#inside()}`, "Take that comma away.");
        }
        return frame.list === null ? this.#readKey(frame) : null;
      }
      if (next !== closerOf(frame)) {
        return this.#unexpected(`a comma or ${frame.list === null ? '"}"' : '"]"'}`);
      }
      this.#at += 1;
      this.#frames.pop();
      value = frame.list ?? frame.fields;
    }
    this.#skipBlank();
    if (this.#at === this.#text.length) return { value, problem: null };
    return damage(this.#at, `there is more text after the end: ${this.#here()}`, "Take away what stands there.");
  }

  #readKey(frame: Frame): Refusal | null {
    if (this.#text.charCodeAt(this.#at) !== quote) return this.#unexpected("a name in double quotes");
    const start = this.#at;
    const token = this.#string();
    if (token.problem !== null) return token;
    const key = String(token.value);
    // The path of an object's own problem is the object, not the member read before.
    const inside = this.#inside(-1);
    if (unsafeKeys.has(key)) return refused(start, `the key ${quoted(key)}${inside} is not allowed`, "Rename it.");
    if (Object.hasOwn(frame.fields, key)) {
      return refused(start, `the key ${quoted(key)} stands twice${inside}`, "Keep the one that is meant.");
    }
    frame.key = key;
    this.#at = token.end;
    this.#skipBlank();
    if (this.#text[this.#at] !== ":") return this.#unexpected('":"');
    this.#at += 1;
    return null;
  }

  #string(): Token {
    const text = this.#text;
    let escaped = false;
    let surrogates = false;
    let at = this.#at + 1;
    for (let unit = text.charCodeAt(at); unit !== quote; unit = text.charCodeAt(at)) {
      if (Number.isNaN(unit)) return damage(at, `the text ends in the middle of a string${this.#inside()}`);
      if (unit < 0x20) {
        return damage(at, `a control character in a string${this.#inside()}`, "Write it as an escape: \\n, \\t.");
      }
      if (unit >= 0xd800 && unit <= 0xdfff) surrogates = true;
      if (unit === backslash) {
        const length = escapeLength(text, at);
        if (length === 0) return damage(at, `an escape that does not exist in a string${this.#inside()}`);
        if (length === 6) surrogates = true;
        escaped = true;
        at += length;
      } else {
        at += 1;
      }
    }
    const value = escaped ? String(JSON.parse(text.slice(this.#at, at + 1))) : text.slice(this.#at + 1, at);
    if (surrogates && /\p{Surrogate}/u.test(value)) {
      const what = `half of a surrogate pair in a string${this.#inside()}`;
      return refused(this.#at, what, "Write the whole character.");
    }
    return { value, end: at + 1, problem: null };
  }

  /** A number, true, false or null. */
  #bare(): Token {
    const start = this.#at;
    for (const [word, value] of words) {
      if (this.#text.startsWith(word, start)) return { value, end: start + word.length, problem: null };
    }
    let end = start;
    while (isNumberUnit(this.#text.charCodeAt(end))) end += 1;
    if (end - start > maxNumberLength) {
      return refused(start, `a number of more than ${maxNumberLength} characters${this.#inside()}`, "Round it.");
    }
    const token = this.#text.slice(start, end);
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(token)) return this.#unexpected("a value");
    const value = Number(token);
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      const what = `the number ${quoted(token, 30)}${this.#inside()} is too large to be kept exactly`;
      return refused(start, what, "Use a number up to 9007199254740991, or a string.");
    }
    // JSON has no second zero: -0 would not survive being written.
    return { value: value === 0 ? 0 : value, end, problem: null };
  }

  #skipBlank(): void {
    for (let unit = this.#text.charCodeAt(this.#at); isBlank(unit); unit = this.#text.charCodeAt(this.#at))
      this.#at += 1;
  }

  #unexpected(wanted: string): Refusal {
    if (this.#at >= this.#text.length) {
      if (this.#text.trim() === "") return damage(0, "the file is empty", "Put a good copy there.");
      return damage(this.#at, `the text ends too early${this.#inside()}: ${wanted} should follow`);
    }
    return damage(this.#at, `expected ${wanted}${this.#inside()} but found ${this.#here()}`);
  }

  #here(): string {
    return quoted(this.#text.slice(this.#at, this.#at + 20));
  }

  /** ` in tasks[3].title`, or nothing at the top. */
  #inside(end?: number): string {
    const path = this.#frames.map((frame) => (frame.list === null ? frame.key : frame.list.length)).slice(0, end);
    const shown = fieldPath(path.filter((part) => part !== null));
    return shown === "" ? "" : ` in ${shown.length > 300 ? `…${shown.slice(-300)}` : shown}`;
  }
}

const words: readonly (readonly [string, unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

const closerOf = (frame: Frame): number => (frame.list === null ? closeBrace : closeBracket);
const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
const isNumberUnit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || unit === 0x2d || unit === 0x2b || unit === 0x2e || unit === 0x65 || unit === 0x45;

/** How many units the escape at this place has; 0: it is none. */
function escapeLength(text: string, at: number): number {
  const kind = text.charAt(at + 1);
  if (kind === "u") return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? 6 : 0;
  return kind !== "" && '"\\/bfnrt'.includes(kind) ? 2 : 0;
}
