// What secrets look like, whoever they belong to.

/**
 * Regular expression sources for one family of secrets. Both are matched against a growing text, so they must agree:
 * whatever `whole` may come to match in a longer text, `open` matches from the same start to the end of this one.
 */
export interface SecretPattern {
  readonly whole: string;
  readonly open: string;
  /** Written in place of a match; `[redacted]` by default. */
  readonly replacement?: string;
}

/** A fixed beginning, then at least `min` characters of a class. Not inside a longer word of that class. */
export function tokenPattern(prefix: string, characters: string, min: number): SecretPattern {
  const start = `(?<!${characters})`;
  return {
    whole: `${start}${literal(prefix)}${characters}{${min},}`,
    open: `${start}(?:${literal(prefix)}${characters}*|${beginnings(prefix)})`,
  };
}

const word = "[A-Za-z0-9]";
const wordDash = "[A-Za-z0-9_-]";
const keyBody = String.raw`(?:[A-Za-z0-9+/=\s\\:,]|-(?!----))*`;
const keyStart = "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----";

export const commonSecretPatterns: readonly SecretPattern[] = [
  tokenPattern("sk-", wordDash, 16),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_"].map((prefix) => tokenPattern(prefix, word, 20)),
  tokenPattern("github_pat_", "[A-Za-z0-9_]", 20),
  tokenPattern("glpat-", wordDash, 16),
  ...["AKIA", "ASIA"].map((prefix) => tokenPattern(prefix, "[A-Z0-9]", 12)),
  ...["xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"].map((prefix) => tokenPattern(prefix, wordDash, 10)),
  tokenPattern("AIza", wordDash, 30),
  {
    // A JSON Web Token: three parts, the first an encoded object.
    whole: `(?<!${wordDash})eyJ${wordDash}{8,}\\.${wordDash}{8,}\\.[A-Za-z0-9_.-]*`,
    open: `(?<!${wordDash})(?:eyJ[A-Za-z0-9_.-]*|${beginnings("eyJ")})`,
  },
  {
    whole: "(?<![A-Za-z0-9])[Bb]earer +[A-Za-z0-9._~+/=-]{16,}",
    open: `(?<![A-Za-z0-9])(?:[Bb]earer +[A-Za-z0-9._~+/=-]*|${beginnings("Bearer ")}|${beginnings("bearer ")})`,
  },
  {
    // A password in an address: what stands before the @ goes, the host stays.
    whole: String.raw`://[^\s/?#:@"']*:[^\s/?#"']+@`,
    open: String.raw`://[^\s/?#"']*|:/?`,
    replacement: "://[redacted]@",
  },
  {
    // A private key, also one that is cut off before its end.
    whole: `${keyStart}${keyBody}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?`,
    open: `${keyStart}${keyBody}(?:-----[A-Z0-9 ]{0,60}-{0,4})?|-----BEGIN [A-Z0-9 ]{0,52}-{0,4}|${beginnings("-----BEGIN ")}`,
  },
];

export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Every proper beginning of a fixed text, longest first. */
function beginnings(text: string): string {
  const lengths = Array.from({ length: text.length - 1 }, (_, index) => text.length - 1 - index);
  return lengths.map((length) => literal(text.slice(0, length))).join("|");
}
