// Takes secrets out of text: values we know, and shapes that keys commonly have.
import { commonSecretPatterns, literal, type SecretPattern } from "./secret-patterns.ts";

export interface RedactorOptions {
  /** Known secrets. Shorter ones than 6 characters are left alone: they would tear words apart. */
  readonly values: readonly string[];
  readonly patterns?: readonly SecretPattern[];
}

export interface Redactor {
  redact(text: string): string;
  /** For text that comes in pieces. */
  stream(): RedactingStream;
}

/**
 * What `push` answers is safe to show: nothing that may still turn out to be the beginning of a secret is in it. That
 * comes with a later piece, or with `flush`. The joined answers are what `redact` makes of the joined pieces.
 */
export interface RedactingStream {
  push(text: string): string;
  flush(): string;
}

const replacement = "[redacted]";
const minValueLength = 6;
/** An unfinished match may be this long; a longer one is a secret without asking further. */
const maxHeldLength = 65_536;

export function createRedactor(options: RedactorOptions): Redactor {
  const values = spellings(options.values);
  const patterns = options.patterns ?? commonSecretPatterns;
  const matcher = createMatcher(values, patterns);
  const stream = (): RedactingStream => createStream(matcher);
  return {
    redact(text) {
      const once = stream();
      return once.push(text) + once.flush();
    },
    stream,
  };
}

const secretName =
  /^(?:KEYS?|PASS|PAT|AUTH|COOKIE|DSN|SECRETS|CREDENTIALS?|PASSPHRASE)$|(?:TOKEN|SECRET|PASSWORD|PASSWD)$|(?:API|ACCESS|PRIVATE|SECRET)KEY$/i;
/** Ends of names that say where a secret is, or something about it. */
const harmlessEnd = /(?:^|_)(?:FILE|PATH|DIR|SOCK|HOST|USER|NAME|ID|TYPE)$/i;

/** The values of variables whose name says that they are secret. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const isSecret = !harmlessEnd.test(name) && name.split(/[_.-]/).some((part) => secretName.test(part));
    return isSecret && value !== undefined ? [value] : [];
  });
}

/** Each value as it may be written: as it is, inside JSON, inside an address, and its long lines one by one. */
function spellings(values: readonly string[]): readonly string[] {
  const all = values.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...value.split("\n").filter((line) => line.length >= 16),
  ]);
  const long = all.filter((value) => value.length >= minValueLength);
  return [...new Set(long)].sort((a, b) => b.length - a.length);
}

interface Matcher {
  /** The first secret at or after `from`. */
  find(text: string, from: number): { readonly start: number; readonly end: number; readonly safe: string } | null;
  /** The first place at or after `from` where a secret may have begun that is not all there yet. */
  findOpen(text: string, from: number): number;
}

function createMatcher(values: readonly string[], patterns: readonly SecretPattern[]): Matcher {
  const wholes = [...values.map(literal), ...patterns.map((pattern) => pattern.whole)].map((source) => `(${source})`);
  const safes = [...values.map(() => replacement), ...patterns.map((pattern) => pattern.replacement ?? replacement)];
  const whole = wholes.length === 0 ? null : new RegExp(wholes.join("|"), "g");
  const open = patterns.length === 0 ? null : new RegExp(`(?:${patterns.map(({ open }) => open).join("|")})$`, "g");
  return {
    find(text, from) {
      if (whole === null) return null;
      whole.lastIndex = from;
      const match = whole.exec(text);
      if (match === null) return null;
      const which = match.findIndex((group, index) => index > 0 && group !== undefined) - 1;
      return { start: match.index, end: whole.lastIndex, safe: safes[which] ?? replacement };
    },
    findOpen(text, from) {
      const starts = values.map((value) => openValue(text, from, value));
      if (open !== null) {
        open.lastIndex = from;
        starts.push(open.exec(text)?.index ?? text.length);
      }
      return Math.min(text.length, ...starts);
    },
  };
}
