import { expect, test } from "vitest";
import { dotGraph, type GraphNode, mermaidGraph, treeGraph } from "./graph.ts";

const node = (id: string, dependsOn: readonly string[] = [], more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  title: id.toUpperCase(),
  status: "pending",
  attempts: 0,
  maxAttempts: 3,
  dependsOn,
  ...more,
});

const hostile = [
  'quote " and \\" and \\',
  "]:::failed\n  x --> y",
  "`**markdown**` %%{init: {}}%%",
  "<script>alert(1)</script> &quot; &#34; #quot;",
  "\u001b[2J\u202e reversed \u200b\u0000",
  "half \ud800 surrogate; \u2028 separator",
  "end",
  "\\N \\G \\l",
  '", fillcolor="red"]; x -> y; //',
];

test("a tree puts each task below one it depends on, and names it again below the others", () => {
  const nodes = [
    node("a", [], { status: "completed", attempts: 1 }),
    node("b", ["a"], { status: "failed", attempts: 3 }),
    node("c", ["a"], { status: "in_progress" }),
    node("d", ["b", "c"], { status: "blocked" }),
    node("e"),
  ];
  expect(treeGraph(nodes).split("\n")).toEqual([
    "✓ a: A (1/3)",
    "├─ ✗ b: B (3/3)",
    "│  └─ ⊘ d: D (0/3)",
    "└─ ▶ c: C (0/3)",
    "   └─ ↑ d",
    "· e: E (0/3)",
  ]);
});

test("tasks that wait for themselves, or for nobody we know, are shown all the same", () => {
  const nodes = [node("a", ["b"]), node("b", ["a"]), node("c", ["nobody"]), node("d", ["d"])];
  expect(treeGraph(nodes).split("\n")).toEqual([
    "· c: C (0/3)",
    "· a: A (0/3)",
    "└─ · b: B (0/3)",
    "   └─ ↑ a",
    "· d: D (0/3)",
    "└─ ↑ d",
  ]);
  expect(treeGraph([])).toBe("");
});

test("a chain of ten thousand tasks grows neither the stack nor the lines", () => {
  const chain = Array.from({ length: 10_000 }, (_, at) => node(`t${at}`, at === 0 ? [] : [`t${at - 1}`]));
  const lines = treeGraph(chain).split("\n");
  expect(lines).toHaveLength(10_000);
  expect(lines.at(-1)).toMatch(/^ {87}└─ \[level 9999\] · t9999: T9999 \(0\/3\)$/);
});

test("PR-16: a hostile title stays one label in every form", () => {
  const nodes = hostile.map((title, at) => node(`t${at}`, at === 0 ? [] : ["t0"], { title }));
  const tree = treeGraph(nodes);
  expect(tree.split("\n")).toHaveLength(nodes.length);
  const mermaid = mermaidGraph(nodes).split("\n");
  expect(mermaid.slice(1, 1 + nodes.length)).toEqual(
    nodes.map((_, at) =>
      expect.stringMatching(new RegExp(`^ {2}n${at}\\["t${at}: (?:[\\p{L}\\p{N} .,:_-]|#\\d+;)*"\\]:::pending$`, "u")),
    ),
  );
  expect(mermaid.filter((line) => line.includes("-->"))).toEqual(nodes.slice(1).map((_, at) => `  n0 --> n${at + 1}`));
  const dot = dotGraph(nodes).split("\n");
  expect(dot.slice(2, 2 + nodes.length)).toEqual(
    nodes.map((_, at) =>
      expect.stringMatching(
        new RegExp(`^ {2}"t${at}" \\[label="(?:[^"\\\\&]|\\\\\\\\|\\\\"|&amp;)*", fillcolor="#f2f2f2"\\];$`, "u"),
      ),
    ),
  );
  expect(dot.filter((line) => /^ {2}"t\d" -> /.test(line))).toHaveLength(nodes.length - 1);
  for (const text of [tree, ...mermaid, ...dot]) expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}](?<!\n)/u);
});
