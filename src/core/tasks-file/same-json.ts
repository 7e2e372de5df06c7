// Whether two values say the same as JSON: the order of an object's fields says nothing.
import { isFields } from "./reading.ts";

/** Values as the strict reader gives them: nesting is bounded, so recursion is. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, place) => sameJson(item, b[place]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
}
