// The layer table: which folder may import what. Arrows point inward.

import { builtinModules } from "node:module";
import type { Import, Module } from "./modules.ts";

const portOfFamily: Readonly<Record<string, string>> = {
  drivers: "driver",
  gates: "gate",
  notifiers: "notifier",
  sandboxes: "sandbox",
  stores: "store",
  workspaces: "workspace",
};

/** Ports too long for one file: these hold a part of one. */
const partsOfPorts = ["branch-keeping"];

/** Variants that stand in for real ones in tests. */
const doubles = ["memory", "none", "scripted", "silent"];

/** Kit that the core may use: functions of their arguments, loadable in a browser. */
const pureKit = ["assert-never", "escape", "iso-time"].map((name) => `src/kit/${name}.ts`);

// A row names kinds of places. `own …` means of the importer's family, surface or variant; `… types` only `import type`.
const mayImport: Readonly<Record<string, readonly string[]>> = {
  kit: ["kit", "node", "package"],
  protocol: ["protocol", "zod"],
  core: ["core", "views", "protocol", "pure kit"],
  views: ["core", "views", "protocol", "pure kit"],
  port: ["protocol", "zod", "own port"],
  contract: ["own port", "own contract", "own fixture", "protocol", "kit", "node", "vitest"],
  /** Plays the world for the tests of several variants. */
  fixture: ["own port", "own contract", "own git", "variants of own family", "protocol", "kit", "node"],
  /** Shared by those variants of the workspace family that are made of git. */
  git: ["git", "port types", "protocol", "kit", "node", "zod"],
  variant: ["own port", "own variant", "own git", "protocol", "kit", "node", "package"],
  family: ["own port", "own git", "variants of own family"],
  runtime: ["runtime", "core", "views", "protocol", "port", "kit", "node"],
  compose: ["compose", "runtime", "family", "port", "protocol", "kit", "node"],
  glance: ["runtime", "protocol types", "kit", "node"],
  index: ["compose", "runtime types", "protocol", "views"],
  surface: [
    "own surface",
    "compose",
    "glance",
    "index",
    "runtime types",
    "views",
    "protocol",
    "kit",
    "node",
    "package",
  ],
};
const testsMayAlsoImport = ["vitest", "fast-check", "own contract", "own fixture", "double"];

interface Place {
  readonly kind: string;
  /** Family or surface. */
  readonly group?: string;
  readonly variant?: string;
}

export function hasRow(path: string): boolean {
  return placeOf(path) !== undefined;
}

/** Why a module may not import this, or undefined when it may. Files without a row are reported by `hasRow`. */
export function violation(from: Module, imported: Import, isFile: (path: string) => boolean): string | undefined {
  if (imported.specifier.startsWith(".") && !isFile(imported.target)) {
    return `"${imported.specifier}" names no file of src/ (imports are written with their .ts suffix)`;
  }
  const source = placeOf(from.path);
  const target = placeOf(imported.target);
  if (!source || !target) return undefined;
  const allowed = [...(mayImport[source.kind] ?? []), ...(from.isTest ? testsMayAlsoImport : [])];
  const names = namesFor(source, target, imported);
  if (allowed.some((name) => names.includes(name))) return undefined;
  return `imports ${imported.specifier} (${target.kind}), but ${source.kind} may only import: ${allowed.join(", ")}`;
}

/** Everything the table may call the target, seen from the source. */
function namesFor(source: Place, target: Place, imported: Import): string[] {
  const isOwn = target.group !== undefined && target.group === source.group;
  const names = [target.kind];
  if (imported.isTypeOnly) names.push(`${target.kind} types`);
  if (target.kind === "vitest" || target.kind === "fast-check") return names;
  if (target.kind === "zod") names.push("package");
  if (target.kind === "git" && source.group === "workspaces") names.push("own git");
  if (pureKit.includes(imported.target)) names.push("pure kit");
  if (target.kind === "variant") {
    if (isOwn) names.push("variants of own family");
    if (doubles.includes(target.variant ?? "")) names.push("double");
    if (isOwn && target.variant === source.variant) names.push("own variant");
  } else if (isOwn) {
    names.push(`own ${target.kind}`);
  }
  return names;
}

/** The row a file belongs to: undefined when the table has none for it. */
function placeOf(target: string): Place | undefined {
  if (!target.startsWith("src/")) return { kind: outsideKind(target) };
  const [top = "", second = "", third] = target
    .replace(/(\.test|\.fixture)?\.ts$/, "")
    .split("/")
    .slice(1);
  const port = portOfFamily[top];
  if (port) {
    if (third !== undefined) return { kind: "variant", group: top, variant: second };
    if (target.endsWith(".fixture.ts")) return { kind: "fixture", group: top };
    if (second === port || partsOfPorts.includes(second)) return { kind: "port", group: top };
    if (second.endsWith(".contract")) return { kind: "contract", group: top };
    return second === "index" ? { kind: "family", group: top } : undefined;
  }
  if (top === "surfaces") return third === undefined ? undefined : { kind: "surface", group: second };
  if (top === "core" && second === "views") return { kind: "views" };
  return top in mayImport ? { kind: top } : undefined;
}

function outsideKind(specifier: string): string {
  if (specifier.startsWith("node:") || builtinModules.includes(specifier)) return "node";
  const isNamed = ["zod", "vitest", "fast-check"].includes(specifier);
  return isNamed ? specifier : "package";
}
