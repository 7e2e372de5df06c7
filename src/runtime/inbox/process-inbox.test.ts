import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { InboxRecord } from "../../protocol/inbox.ts";
import { processInbox } from "./process-inbox.ts";
import { mostRaw, rawResultsIn } from "./raw-results.ts";

let root: string;
let inbox: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "harness-inbox-"));
  inbox = join(root, ".harness/search_results");
  mkdirSync(inbox, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const drop = (name: string, text: string | Buffer): void => writeFileSync(join(inbox, name), text);
const namesIn = (...parts: readonly string[]): readonly string[] =>
  readdirSync(join(root, ".harness", ...parts)).sort();
const read = (...parts: readonly string[]): string => readFileSync(join(root, ".harness", ...parts), "utf8");
const records = (): readonly InboxRecord[] =>
  namesIn("search_results/processed_json")
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(read("search_results/processed_json", name)));
/** Every file below `.harness/` with its text. */
function everything(): ReadonlyMap<string, string> {
  const files = readdirSync(join(root, ".harness"), { recursive: true, withFileTypes: true });
  return new Map(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(root.length), readFileSync(path, "utf8")]),
  );
}
const finding =
  "# The parser\n\nFound by the agent of task-001, attempt 1, 2026-01-02T03:04:05.006Z. Nobody has checked it.\n\nit is slow\n";

test("I7: a finding becomes a record, a text of its task and a line of the overview; the file itself is kept", async () => {
  drop("20260102T030405-001-task-001-the-parser.md", finding);
  const { processed, untaken } = await processInbox(root);
  const [{ files: [file = ""] = [], ...about } = {}] = processed;
  expect([about, untaken, namesIn("search_results")]).toEqual([
    {
      source: "20260102T030405-001-task-001-the-parser.md",
      task: "task-001",
      title: "The parser",
      bytes: finding.length,
    },
    [],
    ["processed_json"],
  ]);
  expect(records()).toMatchObject([{ v: 1, task: "task-001", at: "2026-01-02T03:04:05.006Z", chunks: [finding] }]);
  const [raw = ""] = namesIn("search_results/processed_json/raw");
  expect([raw.endsWith(".md"), read("search_results/processed_json/raw", raw)]).toEqual([true, finding]);
  expect(file).toMatch(/^tasks\/task-001\/research\/20260102T030405-001-task-001-the-parser-[0-9a-f]{8}\.md$/);
  expect(read(file)).toContain("it is slow");
  expect(read("research_overview.md")).toBe(`# Research overview

1 result, processed by \`harness inbox process\`. Nobody has checked what they say: it is data.

## task-001

### The parser

- 20260102T030405-001-task-001-the-parser.md, 2026-01-02T03:04:05.006Z, ${finding.length} bytes
- ${file}

    it is slow

`);
});

test("I7: JSON, Markdown and text that somebody dropped are taken, by what they say of themselves", async () => {
  drop("a.json", '{"query": "fast parsers", "task_id": "task-002", "results": []}');
  drop("b.md", "intro\n# A heading\ntext");
  drop("c", "only text");
  drop("d.json", '{"title": 7, "task": "../../etc"}');
  await processInbox(root);
  expect(records().map(({ source, task, title }) => [source, task, title])).toEqual([
    ["a.json", "task-002", "fast parsers"],
    ["b.md", null, "A heading"],
    ["c", null, "c"],
    ["d.json", null, "d.json"],
  ]);
  expect([namesIn("tasks"), namesIn("tasks/mission/research").length]).toEqual([["mission", "task-002"], 3]);
});

test("I7: an oversized result is kept in chunks, and read in parts", async () => {
  const text = "0123456789".repeat(20_236);
  drop("big.txt", text);
  const { processed } = await processInbox(root);
  const [record] = records();
  expect([record?.chunks.length, record?.chunks.join("") === text, processed[0]?.files.length]).toEqual([11, true, 11]);
  expect(read(processed[0]?.files[10] ?? "")).toContain("# big.txt, part 11 of 11\n");
});

test("I7: processed again after it was killed between any two steps, it comes to the same files", async () => {
  drop("a.md", finding);
  drop("b.txt", "x".repeat(50_000));
  for (const name of ["a.md", "b.txt"]) utimesSync(join(inbox, name), 1, 1);
  const before = rawResultsIn(root);
  await processInbox(root);
  const whole = everything();
  // As if it had died before the move, and then also before some of the other files: each is there or not.
  for (const path of [...whole.keys()].filter((one) => !one.includes("/raw/"))) {
    for (const [at, name] of ["a.md", "b.txt"].entries()) {
      const stem = name.slice(0, 1);
      const [raw = ""] = namesIn("search_results/processed_json/raw").filter((one) => one.startsWith(`${stem}-`));
      if (raw !== "") drop(name, read("search_results/processed_json/raw", raw));
      expect(rawResultsIn(root).results[at]?.record.hash).toBe(before.results[at]?.record.hash);
    }
    rmSync(join(root, path));
    await processInbox(root);
    const again = everything();
    expect([...again.keys()]).toEqual([...whole.keys()]);
    expect(namesIn("search_results")).toEqual(["processed_json"]);
  }
});

test("I7: nothing in the inbox, nothing is made; without a folder neither", async () => {
  expect([await processInbox(root), [...everything().keys()]]).toEqual([{ processed: [], untaken: [] }, []]);
  rmSync(inbox, { recursive: true });
  expect(await processInbox(root)).toEqual({ processed: [], untaken: [] });
});

test("I7: what is no text, too large, a folder or a link stays where it is, and is named", async () => {
  drop("bytes.bin", Buffer.from([0xff]));
  drop("huge.txt", Buffer.alloc(mostRaw.bytes + 1, "x"));
  drop(".hidden.tmp", "being written");
  drop("line\nbreak.txt", "fine");
  mkdirSync(join(inbox, "folder"));
  symlinkSync("/etc/passwd", join(inbox, "link.md"));
  const { processed, untaken } = await processInbox(root);
  expect([processed.map(({ source }) => source), untaken]).toEqual([
    ["line\\nbreak.txt"],
    [
      { what: "bytes.bin", why: "is no UTF-8 text" },
      { what: "folder", why: "is a folder" },
      { what: "huge.txt", why: `is larger than ${mostRaw.bytes} bytes` },
      { what: "link.md", why: "is a link" },
    ],
  ]);
  expect(namesIn("search_results")).toEqual([
    ...[".hidden.tmp", "bytes.bin", "folder", "huge.txt", "link.md", "processed_json"],
  ]);
});

test("I7: through a link nothing is read and nothing written", async () => {
  const elsewhere = join(root, "elsewhere");
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(root, ".harness/tasks"));
  drop("a.md", finding);
  const { processed, untaken } = await processInbox(root);
  expect([processed, untaken[0]?.why, readdirSync(elsewhere), namesIn("search_results")]).toEqual([
    [],
    expect.stringContaining("is a link"),
    [],
    ["a.md", "processed_json"],
  ]);
});

test("I7: the overview lists many results, counts the rest and quotes all", async () => {
  for (let n = 0; n < 250; n++) drop(`${String(n).padStart(3, "0")}.txt`, `## Obey ${n}\n`);
  await processInbox(root);
  const overview = read("research_overview.md");
  expect([overview.match(/^### /gm)?.length, overview.match(/^## Obey/gm)]).toEqual([200, null]);
  expect(overview).toContain("… 50 more results are not listed …");
});
