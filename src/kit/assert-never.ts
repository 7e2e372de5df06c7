// Closes a switch over a union: a missing case is a compile error, an impossible value a bug.
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
