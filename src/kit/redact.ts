// Takes secrets out of text: values we know, and shapes that keys commonly have.
import { createSecretMatcher, redacted, type SecretMatcher } from "./secret-matcher.ts";
import { commonSecretPatterns, type SecretPattern } from "./secret-patterns.ts";
import { spellingsOf } from "./secret-spellings.ts";

export interface RedactorOptions {
  /** Known secrets, each looked for in every way it may be written; those that cannot be told from words are left alone. */
  readonly values: readonly string[] | (() => readonly string[]);
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
  /** How many characters were looked at in all; some are looked at again when more has come. */
  readonly scanned: number;
}

/** A longer text is taken in pieces of this: matching needs memory by the length of what it looks at. */
const pieceLength = 65_536;

export function createRedactor(options: RedactorOptions): Redactor {
  let made: { readonly matcher: SecretMatcher; readonly longest: number } | null = null;
  // Only when there is something to look at: a command that says nothing need not know any secret.
  const make = () => {
    const values = spellingsOf(typeof options.values === "function" ? options.values() : options.values);
    const longest = values.reduce((most, value) => Math.max(most, value.length), 0);
    return { matcher: createSecretMatcher(values, options.patterns ?? commonSecretPatterns), longest };
  };
  const stream = (): RedactingStream => {
    made ??= make();
    return createRedactingStream(made.matcher, made.longest);
  };
  return {
    redact(text) {
      const once = stream();
      const said: string[] = [];
      for (let at = 0; at < text.length; at += pieceLength) said.push(once.push(text.slice(at, at + pieceLength)));
      return said.join("") + once.flush();
    },
    stream,
  };
}

/** Of an unfinished match that is longer than this, the rest is waited for until it is worth to look again. */
const patient = 256;

function createRedactingStream(matcher: SecretMatcher, longest: number): RedactingStream {
  const maxHeld = Math.max(65_536, 4 * longest);
  /** Enough of an unfinished match to see where it started, and which known value may be under way at its end. */
  const keptEnds = Math.max(patient, longest);
  /** The last character answered for: whether a secret may start often depends on it. */
  let before = "";
  let held = "";
  let waiting = "";
  let scanned = 0;
  /** `held` is a shortened stand-in for more than `maxHeld`: a secret, whatever it may still turn out to be. */
  let shortened = false;

  const advance = (added: string, isLast: boolean): string => {
    const text = before + held + added;
    scanned += text.length;
    const pieces: string[] = [];
    let done = before.length;
    let open = done;
    const look = matcher.look(text, done);
    for (;;) {
      const firstOpen = isLast ? text.length : look.findOpen(done);
      const secret = look.find(done);
      const isHeld = secret !== null && secret.start < firstOpen && firstOpen < secret.end;
      open = isHeld ? secret.start : firstOpen;
      if (shortened && open > done) {
        const end = secret?.start === done ? secret.end : done + held.length;
        pieces.push(redacted);
        done = end;
        shortened = false;
      } else if (secret !== null && secret.start < open) {
        pieces.push(text.slice(done, secret.start), secret.safe);
        done = secret.end;
      } else {
        break;
      }
    }
    pieces.push(text.slice(done, open));
    before = text.slice(Math.max(0, open - 1), open);
    held = text.slice(open);
    if (held.length > maxHeld) {
      held = held.slice(0, keptEnds) + held.slice(-keptEnds);
      shortened = true;
    }
    return pieces.join("");
  };
  const takeWaiting = (): string => {
    const all = waiting;
    waiting = "";
    return all;
  };
  return {
    push(text) {
      waiting += text;
      // Looked at again with every character, a long match would be read once for each of them.
      return held.length > patient && waiting.length * 4 < held.length ? "" : advance(takeWaiting(), false);
    },
    flush: () => advance(takeWaiting(), true),
    get scanned() {
      return scanned;
    },
  };
}
