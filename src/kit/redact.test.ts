import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "./redact.ts";
import { secretsOf } from "./secret-names.ts";
import { isTellable } from "./secret-spellings.ts";

const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEA\n".repeat(30)}abc=\n-----END RSA PRIVATE KEY-----`;
const jwt = `eyJ${"hbGciOiJIUzI1NiJ9"}.${"eyJzdWIiOiIxMjM0NTY3ODkwIn0"}.${"dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"}`;

const plain = createRedactor({ values: [] });

test.for([
  ["an OpenAI key", `key=sk-${"aB3".repeat(10)}`, "key=[redacted]"],
  ["an Anthropic key", `"sk-ant-api03-${"x_9-".repeat(10)}"`, '"[redacted]"'],
  ["a GitHub token", `ghp_${"a1B2".repeat(9)} gho_${"a1B2".repeat(9)}`, "[redacted] [redacted]"],
  ["a fine-grained GitHub token", `(github_pat_${"a1_B".repeat(20)})`, "([redacted])"],
  ["an AWS key id", "id AKIAIOSFODNN7EXAMPLE.", "id [redacted]."],
  ["a Slack token", "xoxb-1234567890-abcdefghij", "[redacted]"],
  ["a Google key", `AIza${"Sy9-_".repeat(7)}`, "[redacted]"],
  ["a JSON Web Token", `t=${jwt};`, "t=[redacted];"],
  ["a bearer token", "Authorization: Bearer abcdefghijklmnop/12=\n", "Authorization: [redacted]\n"],
  ["a password in an address", "https://user:pa:s@s@host:80/x a@b", "https://[redacted]@host:80/x a@b"],
  ["a private key", `before\n${key}\nafter words`, "before\n[redacted]\nafter words"],
  ["a private key inside JSON", `"${key.replaceAll("\n", "\\n")}\\n"`, '"[redacted]\\n"'],
  ["a private key without its end", `${key.slice(0, 400)}"`, '[redacted]"'],
])("%s is recognised by its shape", ([, text, expected]) => {
  expect(plain.redact(text ?? "")).toBe(expected);
});

test.for([
  "task-001-implement-the-parser-module risk-assessment-of-everything",
  "the bearer of good news; eyJustAWord; https://example.org:8080/a@b",
  "-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEA\n-----END CERTIFICATE-----",
  '"-----BEGIN PRIVATE KEY" is how it starts',
  "sk-short ghp_short 0123456789abcdef0123456789abcdef01234567",
])("ordinary text stays: %s", (text) => {
  expect(plain.redact(text)).toBe(text);
});

test("known values are taken out in each way they may be written", () => {
  const { redact } = createRedactor({ values: ['pa"ss word', "short", "first-line-of-many\nsecond-line-of-many"] });
  expect(redact('pa"ss word pa\\"ss word pa%22ss%20word short second-line-of-many')).toBe(
    "[redacted] [redacted] [redacted] short [redacted]",
  );
});

test("of two known values that begin alike the longer one is taken out whole", () => {
  const stream = createRedactor({ values: ["abcdefgh", "abcdefghijkl"] }).stream();
  expect([stream.push("abcdefghij"), stream.push("kl abcdefghi"), stream.flush()]).toEqual([
    "",
    "[redacted] ",
    "[redacted]i",
  ]);
});

test("a known value that begins inside another secret does not leave its end behind", () => {
  const redactor = createRedactor({ values: ["tail of value", "sk-abcde"] });
  const text = `sk-${"a".repeat(20)}tail of value, sk-abcdefghijklmnopqrstuvw`;
  const stream = redactor.stream();
  expect([...text].map((character) => stream.push(character)).join("") + stream.flush()).toBe("[redacted], [redacted]");
  expect(redactor.redact(text)).toBe("[redacted], [redacted]");
});

test("only what may become a secret is held back", () => {
  const stream = createRedactor({ values: ["canary-value"] }).stream();
  expect([stream.push("all of this, and c"), stream.push("an"), stream.push("not"), stream.flush()]).toEqual([
    "all of this, and ",
    "",
    "cannot",
    "",
  ]);
});

test("secrets are found by the name of their variable", () => {
  const env = {
    GITHUB_TOKEN: "1",
    npm_config__authToken: "2",
    OPENAI_API_KEY: "3",
    apiKey: "4",
    DB_PASSWORD: "5",
    CLIENT_SECRET: "6",
    PATH: "/bin",
    PWD: "/home",
    SSH_AUTH_SOCK: "/tmp/agent",
    MAX_TOKENS: "200000",
    AWS_ACCESS_KEY_ID: "by its shape",
    KEYBOARD: "us",
    UNSET_TOKEN: undefined,
  };
  expect(secretsOf(env)).toEqual(["1", "2", "3", "4", "5", "6"]);
});

/** Texts full of secrets, near misses and what surrounds them. */
const pieces = fc.oneof(
  fc.constantFrom("canary-0123456789", "canary-01234567890", `sk-${"k".repeat(20)}`, jwt, key, key.slice(0, 90)),
  fc.constantFrom("Bearer ", "abcdefghijklmnopqrst", "https://u:p@", "://", ":", "-----", "eyJ", "sk-", "canary", "@"),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("\n", " ", "-", ".", "/"),
);
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
const cutting = fc.array(fc.nat({ max: 400 }), { maxLength: 8 });

function cutUp(text: string, places: readonly number[]): string[] {
  const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts].map((start, index) => text.slice(start, cuts[index] ?? text.length));
}

test("a stream cut anywhere says exactly what the whole text would", () => {
  const redactor = createRedactor({ values: ["canary-0123456789", "canary-01234567890"] });
  fc.assert(
    fc.property(texts, cutting, (text, places) => {
      const stream = redactor.stream();
      const said = cutUp(text, places).map((piece) => stream.push(piece));
      expect(said.join("") + stream.flush()).toBe(redactor.redact(text));
    }),
    { numRuns: 2_000 },
  );
});

test("a canary never comes out, wherever its stream is cut and whatever is around it", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8, maxLength: 40, unit: "binary" }).filter(isTellable),
      texts,
      texts,
      cutting,
      (canary, left, right, places) => {
        const stream = createRedactor({ values: [canary] }).stream();
        const said = cutUp(left + canary + right, places).map((piece) => stream.push(piece));
        expect((said.join("") + stream.flush()).replaceAll("[redacted]", "\0")).not.toContain(canary);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("an endless secret is taken out whole, in memory of a fixed size", () => {
  const stream = plain.stream();
  const chunk = "A".repeat(50_000);
  const said = [stream.push("key: sk-"), ...Array.from({ length: 100 }, () => stream.push(chunk))];
  expect(said.join("") + stream.push(" and on") + stream.flush()).toBe("key: [redacted] and on");
});

test("an endless address that turns out to hold no password is taken out rather than torn", () => {
  const stream = plain.stream();
  const said = [stream.push("see ftp://"), ...Array.from({ length: 3 }, () => stream.push("a".repeat(50_000)))];
  expect(said.join("") + stream.push("/x") + stream.flush()).toBe("see ftp[redacted]/x");
});
