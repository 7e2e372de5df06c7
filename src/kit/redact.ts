// Takes secrets out of text: values we know, and shapes that keys commonly have.
import { createSecretMatcher, redacted, type SecretMatcher } from "./secret-matcher.ts";
import { commonSecretPatterns, type SecretPattern } from "./secret-patterns.ts";

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

const minValueLength = 6;

export function createRedactor(options: RedactorOptions): Redactor {
  const values = spellings(options.values);
  const matcher = createSecretMatcher(values, options.patterns ?? commonSecretPatterns);
  const maxHeld = Math.max(65_536, 2 * (values[0]?.length ?? 0));
  const stream = (): RedactingStream => createRedactingStream(matcher, maxHeld);
  return {
    redact(text) {
      const once = stream();
      return once.push(text) + once.flush();
    },
    stream,
  };
}

function createRedactingStream(matcher: SecretMatcher, maxHeld: number): RedactingStream {
  /** The last character answered for: whether a secret may start often depends on it. */
  let before = "";
  let held = "";
  /** `held` is a shortened stand-in for more than `maxHeld`: a secret, whatever it may still turn out to be. */
  let shortened = false;

  const advance = (added: string, isLast: boolean): string => {
    const text = before + held + added;
    const pieces: string[] = [];
    let done = before.length;
    let open = done;
    for (;;) {
      const firstOpen = isLast ? text.length : matcher.findOpen(text, done);
      const secret = matcher.find(text, done);
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
  return { push: (text) => advance(text, false), flush: () => advance("", true) };
}

/** Enough of an unfinished match to see where it started and where it ends. */
const keptEnds = 256;

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
    encodeURIComponent(Buffer.from(value).toString("utf8")),
    ...value.split("\n").filter((line) => line.length >= 16),
  ]);
  const long = all.filter((value) => value.length >= minValueLength);
  return [...new Set(long)].sort((a, b) => b.length - a.length);
}
