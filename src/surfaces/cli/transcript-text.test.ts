import { expect, test } from "vitest";
import type { TranscriptEvent } from "../../protocol/transcript.ts";
import { textWidth } from "./text-width.ts";
import { transcriptLines } from "./transcript-text.ts";

const plain = { paint: (_: string, text: string) => text, columns: Number.POSITIVE_INFINITY };
const lines = (event: TranscriptEvent) => transcriptLines(event, plain);
const called = (tool: string, about: string): TranscriptEvent => ({
  type: "called",
  call: "c",
  tool,
  about,
  input: "",
});
const answered = (text: string, ok = true): TranscriptEvent => ({ type: "answered", call: "c", ok, text });
const account = { turns: 1, tokens: { input: 900, cached: 90, output: 10 }, cost: { basis: "unknown" } } as const;

test("O1: each kind of event has its lines", () => {
  expect([
    ...lines({ type: "began", session: "s", version: "2.1", model: "opus", permissions: "all" }),
    ...lines({ type: "said", text: "One.\n\nTwo.\n" }),
    ...lines(called("Bash", "npm test")),
    ...lines(answered("")),
    ...lines(answered("1\n2\n3\n\n4\n")),
    ...lines(answered("1\n2\n3\n4\n5")),
    ...lines(answered("Exit code 1\nno such file", false)),
    ...lines(called("TodoWrite", "")),
    ...lines({ type: "changed", removed: "a\nb\nc\n", added: "a\nB\nc\n" }),
    ...lines({ type: "retried", retry: 1, most: 10, delayMs: 572, why: "rate_limit 429" }),
    ...lines({ type: "limit", name: "five_hour", status: "allowed", until: null }),
    ...lines({ type: "limit", name: "five_hour", status: "rejected", until: 0 }),
    ...lines({ type: "printed", text: "npm\twarn" }),
    ...lines({ type: "concluded", ok: true, message: "", account: { ...account, turns: 2 } }),
    ...lines({
      type: "concluded",
      ok: false,
      message: "Overloaded",
      account: { ...account, cost: { basis: "computed", usd: 1.5 } },
    }),
  ]).toEqual([
    "version 2.1, model opus, permissions all",
    "One.",
    "",
    "Two.",
    "▸ Bash  npm test",
    "  ⎿ (nothing)",
    "  ⎿ 1",
    "    2",
    "    3",
    "    4",
    "  ⎿ 1",
    "    2",
    "    3",
    "    … 2 more lines",
    "  ✗ Exit code 1",
    "    no such file",
    "▸ TodoWrite",
    "    - b",
    "    + B",
    "↻ its service lets it wait: retry 1 of 10 in 0.6 s (rate_limit 429)",
    "! limit five_hour: rejected, until 1970-01-01T00:00:00.000Z",
    "| npm  warn",
    "■ ended – 2 turns, 1.0k tokens, cost unknown",
    "■ ended: Overloaded – 1 turn, 1.0k tokens, $1.50",
  ]);
});

test("SEC: nothing that an agent said, called or got acts on the terminal", () => {
  const nasty = "\u001b[2J\u001b]0;x\u0007\r\u202e\u009b31m";
  const events: readonly TranscriptEvent[] = [
    { type: "began", session: nasty, version: nasty, model: nasty, permissions: nasty },
    { type: "said", text: `${nasty}\n${nasty}` },
    called(nasty, nasty),
    answered(nasty),
    answered(nasty, false),
    { type: "changed", removed: nasty, added: `${nasty}\nx` },
    { type: "retried", retry: 1, most: 1, delayMs: 1, why: nasty },
    { type: "limit", name: nasty, status: nasty, until: null },
    { type: "printed", text: nasty },
    { type: "concluded", ok: false, message: nasty, account },
  ];
  const shown = events.flatMap(lines).join("\n");
  expect(shown.match(/[\p{Cc}\p{Cf}]/gu)?.filter((character) => character !== "\n")).toEqual([]);
  expect(shown).toContain("\\x1b[2J");
});

test("O1: in a terminal only the agent's own text is wider than it", () => {
  const wide = "字".repeat(200);
  const look = { ...plain, columns: 60 };
  const events = [called("Bash", wide), answered(wide), { type: "changed", removed: wide, added: "\t\tx" } as const];
  const widths = events.flatMap((event) => transcriptLines(event, look)).map(textWidth);
  expect(widths.filter((width) => width > 60)).toEqual([]);
  expect(transcriptLines({ type: "said", text: wide }, look)).toEqual([wide]);
});

test("O1: of a large change the beginning of each side is shown", () => {
  const many = (sign: string) => Array.from({ length: 30 }, (_, n) => `${sign}${n}`).join("\n");
  const shown = lines({ type: "changed", removed: `same\n${many("a")}`, added: `same\n${many("b")}` });
  expect([shown.length, shown[0], shown[7], shown[15]]).toEqual([
    16,
    "    - a0",
    "    … 23 more lines",
    "    … 23 more lines",
  ]);
  expect(lines({ type: "changed", removed: "same", added: "same" })).toEqual([]);
});
