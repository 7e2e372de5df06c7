// What we publish about our files agrees with what we check them with.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Config, configEffects, knownKeys } from "../../protocol/config.ts";
import { publishedSchemas } from "../../protocol/schemas.ts";
import { TasksFile } from "../../protocol/tasks-file.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
const examples = (folder: string): string[] => readdirSync(join(root, "examples", folder)).sort();

test("CFG: schemas/ is what the schemas in src/protocol make of it (else: npm run schemas)", () => {
  const published = readdirSync(join(root, "schemas")).map((name) => [name, read(`schemas/${name}`)]);
  expect(Object.fromEntries(published)).toEqual(publishedSchemas());
});

test.each(examples("config"))("CFG: examples/config/%s is a valid configuration", (name) => {
  expect(Config.safeParse(read(`examples/config/${name}`)).error?.issues).toBe(undefined);
});

test.each(examples("tasks"))("F2: examples/tasks/%s is a valid task file", (name) => {
  expect(TasksFile.safeParse(read(`examples/tasks/${name}`)).error?.issues).toBe(undefined);
});

test("CFG: the full example has every key a project may set", () => {
  const userOnly = ["workspace", "sandbox", "env", "trust", "tokens", "notifications"];
  const keys = Object.keys(read("examples/config/full.json") as object);
  expect(keys).toEqual((knownKeys([]) ?? []).filter((key) => !userOnly.includes(key)));
});

test("CFG: the specification lists every key with the effect it has", () => {
  const page = readFileSync(join(root, "docs/spec/config.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w.]+)`.*\| (now|later) \| [\d.]+ \|$/gm)];
  const listed = rows.map(([, key = "", effect = ""]) => [key, effect] as const);
  const effects = Object.entries(configEffects).map(([key, effect]) => {
    const own = listed.filter(([row]) => row === key || row.startsWith(`${key}.`));
    if (typeof effect === "string") return [key, [...new Set(own.map(([, said]) => said))]];
    return [key, own.map(([row, said]) => (row === key ? said : `${said}: ${row.slice(key.length + 1)}`))];
  });
  const expected = Object.entries(configEffects).map(([key, effect]) => [
    key,
    typeof effect === "string" ? [effect] : [...effect.map((part) => `now: ${part}`), "later"],
  ]);
  expect(effects).toEqual(expected);
  const ours = ["limits", "validation", "setup", "views"].flatMap((key) =>
    knownKeys([key])?.map((name) => `${key}.${name}`),
  );
  expect(rows.map(([, key]) => key).filter((key) => /^(limits|validation|setup|views)\./.test(key ?? ""))).toEqual(
    ours,
  );
});
