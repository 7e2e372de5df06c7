// PR-15 at its root: canaries in ten thousand places of streams, through the code that reads every program's output.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { createBoundedText } from "../../src/kit/bounded-text.ts";
import { createLineBatches } from "../../src/kit/line-batches.ts";
import { readOutput } from "../../src/kit/read-output.ts";
import { createRedactor, type Redactor } from "../../src/kit/redact.ts";
import { recordNumbers } from "../numbers.ts";

const placements = 10_000;
/** The first has few: its values are long. */
const perVault = (tried: number): number => (tried === 0 ? 20 : 500);

/** Always the same numbers from the same seed, so that a failure comes again. */
function createDice(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
  return { below, pick: <T>(items: readonly T[]): T => items[below(items.length)] as T };
}
type Dice = ReturnType<typeof createDice>;

const letters = [..."abcXYZ0189-_.+/=!@# \"'\\\n\t:éß漢🙂"];
const wordOf = (dice: Dice, length: number): string => Array.from({ length }, () => dice.pick(letters)).join("");

/** Values of all lengths, some of which begin like, lie in, or go on from each other. */
function createVault(dice: Dice, longest: number): readonly string[] {
  const base = `c4n4ry${wordOf(dice, 8 + dice.below(30))}Z`;
  const values = [
    base,
    `${base}${wordOf(dice, 1 + dice.below(20))}Q`,
    `${base.slice(3)}-${wordOf(dice, 8)}K`,
    `${wordOf(dice, 9)}c4n4ryEnd`,
    "abab0abab0abab",
    `line-one-of-it-${dice.below(1e9)}\nline-two-of-it-${dice.below(1e9)}\n`,
    `${"long-".repeat(longest)}${dice.below(1e9)}x`,
  ];
  return values.filter((value) => value.trim() === value || value.endsWith("\n"));
}

const spelled: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => value,
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => encodeURIComponent(value),
  (value) => Buffer.from(value).toString("base64"),
  (value) => Buffer.from(value).toString("hex"),
  (value) => JSON.stringify(JSON.stringify(value)),
];

const neighbours = [
  "",
  " ",
  "\n",
  "=",
  '"',
  "x",
  "Bearer ",
  "https://u:p@h/",
  "sk-",
  "-----BEGIN ",
  "é",
  "🙂",
  "[redacted]",
];

interface Placement {
  readonly bytes: Buffer;
  /** What must not come out; the beginnings of values are words of their own. */
  readonly secrets: readonly string[];
}

function place(dice: Dice, vault: readonly string[]): Placement {
  const parts: string[] = [];
  const secrets: string[] = [];
  const say = (): void => void parts.push(dice.pick(neighbours), wordOf(dice, dice.below(6)));
  if (dice.below(4) > 0) say();
  for (let count = 1 + dice.below(3); count > 0; count--) {
    const value = dice.pick(vault);
    const secret = dice.pick(spelled)(value);
    secrets.push(secret.trim());
    parts.push(secret);
    if (dice.below(3) === 0)
      parts.push(value.slice(0, dice.below(value.length > 200 ? value.length - 70 : value.length)));
    if (dice.below(4) > 0) say();
  }
  return { bytes: Buffer.from(parts.join("")), secrets };
}

/** Down to single bytes, inside characters too. */
function cutUp(dice: Dice, bytes: Buffer): Buffer[] {
  const most = bytes.length > 1_500 ? dice.pick([200, 900, 65_536]) : dice.pick([2, 3, 7, 64, 400, 4_096]);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = dice.below(20) === 0 ? 1 : 1 + dice.below(most);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** All that is made of a program's output: pieces as they are shown, lines as they are told, evidence as it is kept. */
async function sinksOf(redactor: Redactor, chunks: readonly Buffer[]): Promise<readonly string[]> {
  const kept = createBoundedText({ headBytes: 4_000, tailBytes: 8_000 });
  const batches = createLineBatches(65_536);
  const [pieces, lines]: string[][] = [[], []];
  const reader = readOutput(Readable.from(chunks, { objectMode: true }), {
    filter: redactor.stream(),
    take(text) {
      pieces?.push(text);
      kept.push(text);
      lines?.push(...batches.push(text));
    },
  });
  await reader.done;
  return [pieces?.join("") ?? "", [...(lines ?? []), ...batches.flush()].join(""), kept.text()];
}

/** Of a long one that was lost on the way the end would come out; how it is encoded depends on what follows. */
const endOf = (secret: string): string => secret.slice(-64, -4);

test("PR-15: canaries split across chunks in 10,000 random placements come out in none", async () => {
  const dice = createDice(20_261_116);
  const leaks: string[] = [];
  let chunkCount = 0;
  let tried = 0;
  while (tried < placements) {
    // One that is longer than what a stream holds; the others such as keys are.
    const vault = createVault(dice, tried === 0 ? 15_000 : dice.pick([4, 4, 8, 8, 40]));
    const redactor = createRedactor({ values: vault });
    const most = perVault(tried);
    for (let round = 0; round < most && tried < placements; round++, tried++) {
      const { bytes, secrets } = place(dice, vault);
      const chunks = cutUp(dice, bytes);
      chunkCount += chunks.length;
      for (const sink of await sinksOf(redactor, chunks)) {
        const said = sink.replaceAll("[redacted]", "\0");
        const leak = secrets.find(
          (secret) => said.includes(secret) || (secret.length > 200 && said.includes(endOf(secret))),
        );
        if (leak !== undefined) leaks.push(`placement ${tried}: ${leak.slice(0, 80)}`);
      }
    }
  }
  recordNumbers(["PR-15"], `${tried} random placements of canaries in ${chunkCount} chunks: ${leaks.length} came out`);
  expect(leaks).toEqual([]);
}, 600_000);

test("PR-15: however it is cut, hostile output is looked at a bounded number of times", () => {
  const redactor = createRedactor({ values: ["aaaaaaaaaaaaaaab-canary", "://x:canary-value"] });
  const runs = [
    "eyJa.",
    "sk-",
    "://a:",
    "-----BEGIN PRIVATE KEY-----a",
    "Authorization: a ",
    "a",
    "://a@",
    "1",
    ":/",
    "Bearer ",
  ];
  const work = runs.flatMap((run) =>
    [1, 7, 1_024, 65_536].map((size) => {
      const text = run.repeat(Math.ceil((size < 10 ? 20_000 : 300_000) / run.length));
      const stream = redactor.stream();
      for (let at = 0; at < text.length; at += size) stream.push(text.slice(at, at + size));
      stream.flush();
      // With every push at most what is waited for anyway is read again.
      return stream.scanned / text.length / (size < 256 ? 256 / size : 1);
    }),
  );
  expect(Math.max(...work)).toBeLessThan(6);
});

test("SEC: ordinary text stays as it is: the files of this project, but for the examples of keys in them", () => {
  const root = join(import.meta.dirname, "../..");
  const redactor = createRedactor({
    values: ["short", "true", "1", "12345678", "xxxxxxxxxxxx", "password", "a-real-key-0815"],
  });
  const files = ["src", "docs", "schemas", "scripts", "examples", "bench"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const texts = files.filter((name) => /\.(ts|mjs|md|json|sh)$/.test(name) && statSync(join(root, name)).isFile());
  const changed = texts.filter((name) => {
    const text = readFileSync(join(root, name), "utf8");
    return redactor.redact(text) !== text;
  });
  const size = texts.reduce((sum, name) => sum + statSync(join(root, name)).size, 0);
  recordNumbers(
    ["PR-15"],
    `${texts.length} ordinary files of ${size} bytes: ${changed.length} hold an example of a key, all others are left alone`,
  );
  expect(texts.length).toBeGreaterThan(500);
  expect(changed.sort()).toEqual(withExamples);
});

/** They test redaction. */
const withExamples = ["drivers/command/index", "kit/known-secrets", "kit/redact"].map((name) => `src/${name}.test.ts`);
