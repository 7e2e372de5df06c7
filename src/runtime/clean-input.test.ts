import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../kit/redact.ts";
import type { Asked } from "../protocol/input.ts";
import type { Told } from "../protocol/told.ts";
import { cleanInput, dataFields, textFields } from "./clean-input.ts";

const canary = "c4n4ry-5ecret";
const { redact } = createRedactor({ values: [canary] });

test("SEC: words are cleaned before they are decided on; names, places and commands stay as they are", () => {
  const asked = (secret: string): Asked => ({
    type: "task.add",
    task: {
      id: canary,
      title: `Use ${secret}`,
      description: `${secret}\n`,
      validation: { command: `test ${canary}` },
      cleanup: `rm ${canary}`,
      extra: { owner: { path: secret, list: [1, null, secret] } },
    },
  });
  expect(cleanInput(asked(canary), redact)).toEqual(asked("[redacted]"));
});

test("SEC: what agents tell by their tools is cleaned, whichever tool it was", () => {
  const told = (secret: string): readonly Asked[] =>
    [
      { verb: "note", text: secret },
      { verb: "handoff", summary: secret, next: secret },
      { verb: "inbox_add", title: secret, text: secret },
      { verb: "ask_human", question: secret },
      { verb: "add_task", title: secret, description: secret, command: null, priority: "P1", dependsOn: [] } as const,
    ].map((each) => ({ type: "agent.tell", run: "r", id: "i", fence: 1, told: each as Told }));
  expect(told(canary).map((asked) => cleanInput(asked, redact))).toEqual(told("[redacted]"));
});

test("SEC: a text that is as long as it may be does not grow", () => {
  const title = `${canary.slice(0, 8)} `.repeat(55);
  const short = createRedactor({ values: [canary.slice(0, 8)] });
  const cleaned = cleanInput({ type: "task.add", task: { title } }, short.redact);
  expect(JSON.stringify(cleaned).length).toBeLessThanOrEqual(
    JSON.stringify({ type: "task.add", task: { title } }).length,
  );
});

interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly [more: string]: unknown;
}

/** Names of fields that may hold any text. */
function textNames(node: unknown, name: string, found: Set<string>): Set<string> {
  if (Array.isArray(node)) for (const each of node) textNames(each, name, found);
  if (typeof node !== "object" || node === null || Array.isArray(node)) return found;
  const { type, enum: listed, const: only, properties, ...rest } = node as Node;
  if ([type].flat().includes("string") && listed === undefined && only === undefined) found.add(name);
  for (const [key, each] of Object.entries(properties ?? {})) textNames(each, key, found);
  for (const key of ["anyOf", "oneOf", "allOf", "items", "prefixItems"]) textNames(rest[key], name, found);
  for (const each of Object.values((rest.$defs ?? {}) as Record<string, Node>)) textNames(each, name, found);
  return found;
}

test("SEC: each field of an event that may hold text is decided on: words, or data", () => {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, "../../schemas/event.schema.json"), "utf8"));
  const names = [...textNames(schema, "", new Set())].filter((name) => name !== "");
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !textFields.has(name) && !dataFields.has(name))).toEqual([]);
});
