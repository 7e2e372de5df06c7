// The specification says where each of its rules is shown; this keeps it to its word.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./modules.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Rules that stand in a list as `- **K3** …`, and sections that are one rule: `## E · Remedies`, without rules inside. */
const written = readdirSync(join(root, "docs/spec"))
  .flatMap((page) => [...read(`docs/spec/${page}`).matchAll(/^(?:- \*\*|## )([A-Z]{1,3}\d*)(?:\*\*| · )/gm)])
  .map(([, id = ""]) => id);
const rules = written.filter((id) => !written.some((other) => other !== id && other.replace(/\d+$/, "") === id));

/** `| K3 | [a.test.ts](../../a.test.ts), … |` */
const index = new Map(
  [...read("docs/spec/README.md").matchAll(/^\| ([A-Z]{1,3}\d*) \| (.*) \|$/gm)].map(([, id = "", cell = ""]) => [
    id,
    [...cell.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, file = ""]) => file),
  ]),
);

/** Names of tests begin with the rules and promises they show. */
const shows = (file: string, id: string): boolean =>
  new RegExp(`["\`](?:[A-Z]+-?\\d*, )*${id}(?:, [A-Z]+-?\\d*)*: `).test(read(file));

test("every rule of the specification names tests that carry its id", () => {
  // The journal's rules are shown under the promises they name.
  const expected = rules.filter((id) => !id.startsWith("J"));
  expect(expected.length).toBeGreaterThan(30);
  expect([...index.keys()].sort()).toEqual(expected.sort());
  const empty = [...index].flatMap(([id, files]) => {
    const wrong = files.filter((file) => !shows(file, id));
    return files.length === 0 || wrong.length > 0 ? [`${id}: ${wrong.join(", ")}`] : [];
  });
  expect(empty).toEqual([]);
});
