import { expect, test } from "vitest";
import { initText, proposedValidation } from "./init-text.ts";

const project = { root: "/p", id: "1", home: "/s/1" };
const made = { project, created: true, branch: "harness/m", adopted: null };
const node = {
  kind: "node",
  validation: "npm test",
  setup: "npm ci",
  why: "package.json",
  tools: ["npm"],
  dependencies: "node_modules",
};
const docs = { ...node, kind: "docs", validation: null, why: "mkdocs.yml\u001b" };

test("the proposed validation works from a clean checkout", () => {
  expect(proposedValidation({ candidates: [docs, node] })).toBe("npm ci && npm test");
  expect(proposedValidation({ candidates: [{ ...node, setup: null }] })).toBe("npm test");
  expect(proposedValidation({ candidates: [docs] })).toBe(null);
});

test("init says what was found and what to do next", () => {
  expect(
    initText(made, { candidates: [node, docs] })
      .split("\n")
      .slice(3),
  ).toEqual([
    "  found       node: package.json",
    "  found       docs: mkdocs.yml\\x1b",
    "  validation  npm ci && npm test (proposed)",
    '  next        harness add "what to do" --validate "npm ci && npm test"',
  ]);
});

test("F6: an adopted plan is told with its warnings, and that its commands wait for trust", () => {
  const source = ".harness/features.json";
  const adopted = { source, tasks: 2, warnings: [`${source}: features[2]: left out\n`] };
  expect(
    initText({ ...made, adopted }, { candidates: [] })
      .split("\n")
      .slice(3),
  ).toEqual([
    "  adopted     2 tasks of .harness/features.json",
    "  warning     .harness/features.json: features[2]: left out\\n",
    "  trust       commands that came with it run only once you accepted them: harness run --trust HASH",
    "  next        harness run --agent-command 'your-agent …' shows them and the hash",
  ]);
});
