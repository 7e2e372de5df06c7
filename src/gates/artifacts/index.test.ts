import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRedactor } from "../../kit/redact.ts";
import { OutputPath } from "../../protocol/outputs.ts";
import { describeGate } from "../gate.contract.ts";
import { artifacts } from "./index.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "artifacts-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const put = (path: string, content: string | Buffer): void => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
};
const going = new AbortController().signal;
const check = (outputs: string[], made: readonly string[] = []) =>
  artifacts.create({ outputs }).check(
    {
      dir,
      made: made.map((path) => join(dir, path)),
      env: {},
      announce: async () => true,
      redactor: createRedactor({ values: [] }),
    },
    going,
  );
/** What is wrong, or null. */
const wrongIn = async (...outputs: string[]): Promise<string | null> => {
  const verdict = await check(outputs);
  const said = "declared outputs are missing or malformed: ";
  if (verdict.verdict === "pass") return null;
  expect([verdict.verdict, verdict.failure.kind]).toEqual(["fail", "test_fail"]);
  return verdict.failure.message.replace(said, "");
};

describe("on a place of its own", () => {
  const place = mkdtempSync(join(tmpdir(), "artifacts-"));
  const at = (outputs: string[], from = place) => ({
    startsNothing: true as const,
    check: (request: Parameters<ReturnType<typeof artifacts.create>["check"]>[0], signal: AbortSignal) =>
      artifacts.create({ outputs }).check({ ...request, dir: from }, signal),
  });
  writeFileSync(join(place, "report.md"), "# Report\n");
  afterAll(() => rmSync(place, { recursive: true, force: true }));
  describeGate("artifacts", {
    passing: () => at(["report.md"]),
    failing: () => at(["other.md"]),
    unable: () => at(["report.md"], join(place, "nowhere")),
    processes: null,
  });
});

test("G1: the verdict names each output that is missing or malformed, and why", async () => {
  put("good.json", "{}");
  put("data.json", '{"a": 1,\n "b": }');
  put("empty.txt", "");
  mkdirSync(join(dir, "folder.md"));
  expect(await check(["good.json", "data.json", "report.pdf", "empty.txt", "notes/*.md", "folder.md"])).toEqual({
    verdict: "fail",
    failure: {
      kind: "test_fail",
      message:
        'declared outputs are missing or malformed: data.json is no JSON (line 2, column 7: expected a value in b but found "}"); report.pdf does not exist; empty.txt is empty; no file matches notes/*.md; folder.md does not exist (folder.md is a folder, not a file)',
      remedy: "write them, and see that git does not ignore them",
      evidence: [
        'data.json is no JSON (line 2, column 7: expected a value in b but found "}")',
        "report.pdf does not exist",
        "empty.txt is empty",
        "no file matches notes/*.md",
        "folder.md does not exist (folder.md is a folder, not a file)",
      ].join("\n"),
    },
  });
});

test("G1: what passes is in the evidence", async () => {
  put("notes/a.md", "a\n");
  put("notes/b.md", "bb\n");
  expect(await check(["notes/*.md"])).toEqual({
    verdict: "pass",
    evidence: "notes/a.md: 2 bytes\nnotes/b.md: 3 bytes",
  });
});

const pdf = "%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF\n";
const png = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
const utf16 = Buffer.from("\ufeff{}", "utf16le");
test.for<[file: string, content: string | Buffer, wrong: string | null]>([
  ["a.json", '{"a": 1, "a": 12345678901234567890}', null],
  ["a.json", "\ufeff[]", null],
  ["a.json", utf16, null],
  [
    "a.json",
    '{"a": 1',
    'a.json is no JSON (line 1, column 8: the text ends too early in a: a comma or "}" should follow)',
  ],
  ["a.json", " \n", "a.json is blank"],
  ["a.ndjson", '{"a": 1}\n\n[2]\n', null],
  ["a.jsonl", '{"a": 1}\nnope\n', 'a.jsonl is no JSON (line 2, column 1: expected a value but found "nope")'],
  ["a.md", "# Ü\n", null],
  ["a.md", " \t\n\n", "a.md is blank"],
  ["a.txt", Buffer.from([0x61, 0xff, 0xfe]), "a.txt is not UTF-8 text"],
  ["a.html", "<!DOCTYPE html>\n<title>x</title>", null],
  ["a.HTM", "<p>x", null],
  ["a.html", Buffer.from("<p>caf\xe9</p>", "latin1"), null],
  ["a.html", "I could not write it", "a.html does not look like HTML: it has no element"],
  ["a.html", "1 < 2 and 3 > 2", "a.html does not look like HTML: it has no element"],
  ["a.svg", '<?xml version="1.0"?>\n<!-- c -->\n<svg xmlns="x"/>', null],
  ["a.svg", "<html></html>", "a.svg does not look like SVG"],
  ["a.xml", "\ufeff<a/>", null],
  ["a.xml", "a: 1", "a.xml does not look like XML"],
  ["a.csv", "a,b\n1,2,3\n", null],
  ["a.csv", "\n\n", "a.csv is blank"],
  ["a.pdf", pdf, null],
  ["a.pdf", pdf.slice(0, 20), "a.pdf does not end as a PDF does (%%EOF): it was cut off"],
  ["a.pdf", "hello", "a.pdf does not begin as a PDF does (%PDF-)"],
  ["a.png", png, null],
  ["a.png", "hello", "a.png does not begin as a PNG image does"],
  ["a.jpg", Buffer.from([0xff, 0xd8, 0xff, 0xe0]), null],
  ["a.jpeg", png, "a.jpeg does not begin as a JPEG image does"],
  ["a.gif", "GIF89a…", null],
  ["a.gif", "GIF", "a.gif does not begin as a GIF image does"],
  ["a.webp", "RIFF0000WEBPVP8 ", null],
  ["a.webp", "RIFF0000WAVE", "a.webp does not begin as a WebP image does"],
  ["a.docx", "PK\x03\x04…", null],
  ["a.zip", "no", "a.zip does not begin as a ZIP archive does"],
  ["a.bin", "\0", null],
  ["a", "x", null],
  ["a.constructor", "x", null],
])("G1: %s that holds %j: %s", async ([file, content, wrong]) => {
  put(file, content);
  expect(await wrongIn(file)).toBe(wrong);
});

test.for<[pattern: string, files: readonly string[]]>([
  ["*.md", ["a.md", "b.md"]],
  ["?.md", ["a.md", "b.md"]],
  ["**/*.md", ["a.md", "b.md", "deep/er/c.md"]],
  ["deep/**", ["deep/er/c.md", "deep/x.txt"]],
  ["**/er/*", ["deep/er/c.md"]],
  ["deep/*/c.md", ["deep/er/c.md"]],
  [".hidden.*", [".hidden.md"]],
  ["[id].tsx", ["[id].tsx"]],
])("G1: %s means %j", async ([pattern, files]) => {
  const all = ["a.md", "b.md", "deep/er/c.md", "deep/x.txt", ".hidden.md", "[id].tsx", ".git/d.md", "i.tsx"];
  for (const file of all) put(file, "x\n");
  const verdict = await check([pattern]);
  expect(verdict).toEqual({ verdict: "pass", evidence: files.map((file) => `${file}: 2 bytes`).join("\n") });
});

test("G1: no link is followed, out of the checkout or within it", async () => {
  put("there/a.md", "a\n");
  symlinkSync("/etc/passwd", join(dir, "passwd.txt"));
  symlinkSync("there", join(dir, "linked"));
  execFileSync("mkfifo", [join(dir, "pipe.txt")]);
  expect([await wrongIn("passwd.txt"), await wrongIn("linked/a.md"), await wrongIn("pipe.txt")]).toEqual([
    "passwd.txt does not exist (passwd.txt is a link, not a file)",
    "linked/a.md does not exist (linked is a link, not a file)",
    "pipe.txt does not exist (pipe.txt is a device, not a file)",
  ]);
});

test("G1: what a set-up made is no output of the work", async () => {
  put("node_modules/x/readme.md", "x\n");
  put("made.md", "x\n");
  expect([await check(["**/*.md"], ["node_modules", "made.md"])]).toMatchObject([
    { failure: { message: "declared outputs are missing or malformed: no file matches **/*.md" } },
  ]);
  expect(await wrongIn("**/*.md")).toBe(null);
});

test("G1: of a file without measure only the beginning and the end are read", async () => {
  put("huge.json", "{}");
  truncateSync(join(dir, "huge.json"), 2 ** 36);
  put("huge.pdf", "%PDF-1.7");
  truncateSync(join(dir, "huge.pdf"), 2 ** 36);
  expect(await wrongIn("huge.json", "huge.pdf")).toBe("huge.pdf does not end as a PDF does (%%EOF): it was cut off");
});

test("G1: no pattern takes long, and no verdict is long", async () => {
  for (let at = 0; at < 200; at++) put(`${"a".repeat(200)}${at}.txt`, "");
  const verdict = await check([`${"*a".repeat(200)}*b`, "*.txt"]);
  expect(verdict.verdict).toBe("fail");
  expect(JSON.stringify(verdict).length).toBeLessThan(20_000);
});

test.for(["", "/etc/passwd", "../x", "a/../b", "./a", "a//b", "a/", "-rf", "~/x", "a\\b", ".git/config", "a\nb"])(
  "G1: %j cannot be declared",
  (path) => {
    expect(OutputPath.safeParse(path).success).toBe(false);
    expect(artifacts.options.safeParse({ outputs: [path] }).success).toBe(false);
  },
);
