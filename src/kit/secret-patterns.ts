// What secrets look like, whoever they belong to.

/**
 * Regular expression sources for one family of secrets. Both are matched against a growing text, so they must agree:
 * whatever `whole` may come to match in a longer text, `open` matches from the same start to the end of this one.
 */
export interface SecretPattern {
  /** Every match begins with one of these, of two ASCII characters or more, or – `open` at the end – with a part of one. */
  readonly begins: readonly string[];
  readonly whole: string;
  readonly open: string;
  /** Written in place of a match; `[redacted]` by default. */
  readonly replacement?: string;
}

/** A fixed beginning, then at least `min` characters of a class. Not inside a longer word of that class. */
export function tokenPattern(prefix: string, characters: string, min: number): SecretPattern {
  const start = `(?<!${characters})`;
  return {
    begins: [prefix],
    whole: `${start}${literal(prefix)}${characters}{${min},}`,
    open: `${start}(?:${literal(prefix)}${characters}*|${beginnings(prefix)})`,
  };
}

const word = "[A-Za-z0-9]";
const wordDash = "[A-Za-z0-9_-]";
const tokenBody = "[A-Za-z0-9._~+/=-]";
const keyBody = String.raw`(?:[A-Za-z0-9+/=\s\\:,]|-(?!----))*`;
const keyStart = "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
const keyEnd = "-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

export const commonSecretPatterns: readonly SecretPattern[] = [
  tokenPattern("sk-", wordDash, 16),
  ...["sk_live_", "rk_live_", "sk_test_"].map((prefix) => tokenPattern(prefix, word, 16)),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_", "hf_"].map((prefix) => tokenPattern(prefix, word, 20)),
  tokenPattern("github_pat_", "[A-Za-z0-9_]", 20),
  ...["glpat-", "pypi-", "dop_v1_"].map((prefix) => tokenPattern(prefix, wordDash, 16)),
  ...["AKIA", "ASIA"].map((prefix) => tokenPattern(prefix, "[A-Z0-9]", 12)),
  ...["xapp-", "xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"].map((prefix) =>
    tokenPattern(prefix, wordDash, 10),
  ),
  tokenPattern("AIza", wordDash, 30),
  tokenPattern("ya29.", wordDash, 30),
  {
    // A JSON Web Token: three parts, the first an encoded object.
    begins: ["eyJ"],
    whole: `(?<![A-Za-z0-9_.-])eyJ${wordDash}{8,}\\.${wordDash}{8,}\\.[A-Za-z0-9_.-]*`,
    open: `(?<![A-Za-z0-9_.-])(?:eyJ[A-Za-z0-9_.-]*|${beginnings("eyJ")})`,
  },
  {
    // A bot's token of a chat: its number, then the key.
    begins: Array.from({ length: 100 }, (_, number) => String(number).padStart(2, "0")),
    whole: `(?<!${wordDash})[0-9]{8,10}:${wordDash}{35,}`,
    open: `(?<!${wordDash})(?:[0-9]{8,10}:${wordDash}*|[0-9]{1,10})`,
  },
  {
    begins: ["Bearer ", "bearer "],
    whole: `(?<!${word})[Bb]earer +${tokenBody}{16,}`,
    open: `(?<!${word})(?:[Bb]earer +${tokenBody}*|${beginnings("Bearer ")}|${beginnings("bearer ")})`,
  },
  {
    begins: ["Authorization:", "authorization:"],
    whole: `(?<!${word})[Aa]uthorization: *[A-Za-z]+ +${tokenBody}{8,}`,
    open: `(?<!${word})(?:[Aa]uthorization: *[A-Za-z]*(?: +${tokenBody}*)?|${beginnings("Authorization:")}|${beginnings("authorization:")})`,
    replacement: "Authorization: [redacted]",
  },
  {
    // A password in an address: what stands before the @ goes, the host stays.
    begins: ["://"],
    whole: String.raw`://[^\s/?#:@"']*:[^\s/?#"']+@`,
    open: String.raw`://[^\s/?#"']*|:/?`,
    replacement: "://[redacted]@",
  },
  {
    // A token in the place of a name: people's names are shorter.
    begins: ["://"],
    whole: "://[A-Za-z0-9_.~%-]{20,}@",
    open: "://[A-Za-z0-9_.~%-]*|:/?",
    replacement: "://[redacted]@",
  },
  {
    // A private key, also one that is cut off before its end.
    begins: ["-----BEGIN "],
    whole: `${keyStart}${keyBody}(?:${keyEnd})?`,
    open: `${keyStart}${keyBody}(?:-----[A-Z0-9 ]{0,66}-{0,4})?|-----BEGIN [A-Z0-9 ]{0,58}-{0,4}|${beginnings("-----BEGIN ")}`,
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
