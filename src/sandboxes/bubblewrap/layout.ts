// In which order what is mounted, so that of several rules for a path the most specific counts.
import type { Reach } from "../sandbox.ts";

export type Rule =
  | { readonly how: "hidden" | "read" | "write"; readonly path: string }
  | { readonly how: "shown"; readonly path: string; readonly from: string; readonly write?: boolean };

/** Of rules for one path the last of these counts. */
const strength = ["hidden", "read", "write", "shown"];

export const depthOf = (path: string): number => path.split("/").filter((part) => part !== "").length;

export const isWithin = (path: string, top: string): boolean =>
  path === top || top === "/" || path.startsWith(`${top}/`);

/** Parents first. A rule that says what holds there anyway is left out. */
export function layoutOf(reach: Reach, others: readonly Rule[] = []): readonly Rule[] {
  const rules: Rule[] = [
    ...others,
    ...reach.hidden.map((path) => ({ how: "hidden", path }) as const),
    ...reach.read.map((path) => ({ how: "read", path }) as const),
    ...reach.write.map((path) => ({ how: "write", path }) as const),
    ...(reach.shown ?? []).map(({ from, at }) => ({ how: "shown", path: at, from }) as const),
  ];
  const byPath = new Map<string, Rule>();
  for (const rule of rules) {
    const present = byPath.get(rule.path);
    if (present === undefined || strength.indexOf(present.how) < strength.indexOf(rule.how))
      byPath.set(rule.path, rule);
  }
  const sorted = [...byPath.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1));
  const kept: Rule[] = [];
  for (const rule of sorted) {
    // The machine itself is to be read only, as if by a rule for all of it.
    const around = kept.findLast(({ path }) => isWithin(rule.path, path))?.how ?? "read";
    if (rule.how === "shown" || rule.how !== around) kept.push(rule);
  }
  return kept;
}
