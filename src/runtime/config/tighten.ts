// Some settings guard the machine: the user's word holds there, and a project – which may have come with a clone, or
// been written by an agent – can only ask for less.
import { Config } from "../../protocol/config.ts";
import { tightenedKeys } from "../../protocol/resources.ts";
import { usualMemoryMb } from "../machine.ts";
import { merged, valueAt } from "./merge.ts";
import type { Layer } from "./problems.ts";

type Path = readonly string[];

/** What the project asked for and does not get, by key. */
export interface HeldBack {
  readonly key: string;
  readonly asked: number;
  readonly holds: number;
}

/** `all` is what was written, merged, stronger places over weaker ones. */
export function tightened(layers: readonly Layer[], all: unknown): { written: unknown; heldBack: readonly HeldBack[] } {
  const project = layers.find(({ origin }) => origin === "project");
  const rest = layers.filter((layer) => layer !== project).map((layer) => layer.written);
  const users = Config.parse(rest.reduce(merged, {}));
  const heldBack: HeldBack[] = [];
  let written = all;
  for (const [path, stricter] of tightenedKeys) {
    const asked = valueAt(project?.written, path);
    // Memory has no default of its own: it is the machine's. Where the user says nothing of money or time, all is less.
    const usual = path[0] === "resources" ? usualMemoryMb() : undefined;
    const holds = (valueAt(users, path) as number | undefined) ?? usual;
    if (typeof asked !== "number" || holds === undefined) continue;
    if (stricter === "less" ? asked <= holds : asked >= holds) continue;
    heldBack.push({ key: path.join("."), asked, holds });
    written = merged(written, at(path, holds));
  }
  return { written, heldBack };
}

const at = (path: Path, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
