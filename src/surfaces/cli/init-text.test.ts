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
const nothing = { proposed: null, taken: false };
const docs = { ...node, kind: "docs", validation: null, why: "mkdocs.yml\u001b" };

test("the proposed validation works from a clean checkout", () => {
  expect(proposedValidation({ candidates: [docs, node] })).toBe("npm ci && npm test");
  expect(proposedValidation({ candidates: [{ ...node, setup: null }] })).toBe("npm test");
  expect(proposedValidation({ candidates: [docs] })).toBe(null);
});

test("init says what was found and what to do next", () => {
  expect(
    initText(made, { candidates: [node, docs] }, nothing)
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
    initText({ ...made, adopted }, { candidates: [] }, nothing)
      .split("\n")
      .slice(3),
  ).toEqual([
    "  adopted     2 tasks of .harness/features.json",
    "  warning     .harness/features.json: features[2]: left out\\n",
    "  trust       commands that came with it run only once you accepted them: harness run --trust HASH",
    "  next        harness run --agent-command 'your-agent …' shows them and the hash",
  ]);
});

test("A4: a set-up is shown with its inputs, what it shares and why; once it is taken, the validation goes without it", () => {
  const setup = { command: "npm ci", inputs: ["package-lock.json"], share: [".env"], env: {} };
  const proposed = { setup, why: "package-lock.json, .env is ignored", notices: ["compose.yaml: start them"] };
  const lines = (taken: boolean) =>
    initText(made, { candidates: [node] }, { proposed, taken })
      .split("\n")
      .slice(4, 7);
  expect(lines(false)).toEqual([
    "  set-up      npm ci; again when package-lock.json changes; with your .env (proposed: package-lock.json, .env is ignored)",
    "  note        compose.yaml: start them",
    "  validation  npm ci && npm test (proposed)",
  ]);
  expect(lines(true).at(-1)).toBe("  validation  npm test (proposed)");
});
