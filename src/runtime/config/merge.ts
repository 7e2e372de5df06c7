// Lays what was written in one place over what was written in another.

/** Objects are merged key by key; lists and single values are replaced. */
export function merged(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  if (!isObject(under) || !isObject(over) || namesAnotherVariant(under, over)) return over;
  const keys = [...new Set([...Object.keys(under), ...Object.keys(over)])];
  return Object.fromEntries(keys.map((key) => [key, merged(valueAt(under, [key]), valueAt(over, [key]))]));
}

/** What stands at a path, or undefined. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, first)) return undefined;
  return valueAt((value as Record<PropertyKey, unknown>)[first], rest);
}

/** Options mean something only to the variant they were written for. */
const namesAnotherVariant = (under: Record<string, unknown>, over: Record<string, unknown>): boolean =>
  over.use !== undefined && over.use !== under.use;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
