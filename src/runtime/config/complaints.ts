// Says in plain words what the schema found wrong with one key.
import { type Config, knownKeys } from "../../protocol/config.ts";
import { quoted } from "../../protocol/strict-json.ts";
import { valueAt } from "./merge.ts";
import { nearest } from "./nearest.ts";

type Path = readonly PropertyKey[];
type Issue = NonNullable<ReturnType<typeof Config.safeParse>["error"]>["issues"][number];

export interface Complaint {
  readonly path: Path;
  readonly what: string;
  readonly remedy: string;
}

/** Nobody reads more of them, and each costs a comparison with every known name. */
const maxGuesses = 50;
const correctIt = "correct it, or remove it to have the default";

export function complaintsOf(issue: Issue, written: unknown): Complaint[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key, index) => unknownKey(issue.path, key, index < maxGuesses));
  }
  const value = valueAt(written, issue.path);
  if (value === undefined) return [{ path: issue.path, what: "is missing", remedy: "add it" }];
  const inner = Array.isArray(value) && issue.code === "invalid_union" ? deepestOf(issue) : null;
  if (inner !== null) return complaintsOf(inner, written);
  const isEmpty = issue.code === "too_small" && issue.origin === "string";
  const what = isEmpty ? "must not be empty" : `${demandOf(issue)}, not ${shown(value, issue.path)}`;
  return [{ path: issue.path, what, remedy: issue.path.length === 0 ? "write { … }" : correctIt }];
}

/** A list that one of several shapes allows: what is wrong inside it says more than that it is none of them. */
function deepestOf({ path, errors }: Extract<Issue, { code: "invalid_union" }>): Issue | null {
  const inside = errors.flat().filter((error) => error.path.length > 0 || error.code === "custom");
  const [first] = inside.sort((a, b) => b.path.length - a.path.length);
  return first === undefined ? null : { ...first, path: [...path, ...first.path] };
}

function unknownKey(path: Path, key: string, guess: boolean): Complaint {
  const what = "is not a known key";
  const known = knownKeys(path) ?? [];
  const meant = guess ? (elsewhere(key) ?? nearest(key, known)) : null;
  if (meant !== null) return { path: [...path, key], what, remedy: `did you mean "${meant}"?` };
  const names = known.filter((name) => !name.startsWith("$")).join(", ");
  return { path: [...path, key], what, remedy: `remove it; known here: ${names}` };
}

/** A known key that was written one level too high. */
function elsewhere(key: string): string | null {
  for (const parent of knownKeys([]) ?? []) {
    if (knownKeys([parent])?.includes(key)) return `${parent}.${key}`;
  }
  return null;
}

function demandOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      // Our schemas word these themselves: "must be …".
      return issue.message;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const units: Readonly<Record<string, string>> = { string: " characters long", array: " entries long" };
const unitOf = (origin: string): string => units[origin] ?? "";

/** Values are quoted only where they cannot be secrets, and never at length. */
function shown(value: unknown, path: Path): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return path[0] === "tokens" || value.length > 60 ? "this text" : quoted(value);
}
