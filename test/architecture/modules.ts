// Every TypeScript file of src/ with its imports, read once and shared by the tests of this folder.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

export const root = join(import.meta.dirname, "../..");

/** A reader that looks in the wrong place sees no violation. Raise this as src/ grows. */
export const moduleFloor = 120;

export interface Module {
  /** Relative to the repository, such as `src/core/plan.ts`. */
  readonly path: string;
  readonly isTest: boolean;
  readonly lineCount: number;
  readonly source: ts.SourceFile;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly specifier: string;
  /** `src/…` for a file of ours, otherwise the specifier itself. */
  readonly target: string;
  readonly line: number;
  /** Written as `import type` or `export type`, or inside a type: nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
}

export const modules: readonly Module[] = filesUnder("src")
  .filter((path) => path.endsWith(".ts"))
  .map(readModule);

export function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** Calls `visit` for each node of a module, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** `src/core/plan.ts:12`, as editors and terminals link it. */
export function place(module: Module, node: ts.Node): string {
  return `${module.path}:${lineOf(module.source, node)}`;
}

function readModule(path: string): Module {
  const text = readFileSync(join(root, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return {
    path,
    isTest: /\.(test|fixture)\.ts$/.test(path),
    lineCount: text.trimEnd().split("\n").length,
    source,
    imports: importsOf(path, source),
  };
}

function importsOf(path: string, source: ts.SourceFile): Import[] {
  const found: Import[] = [];
  walk(source, (node) => {
    const named = namedModule(node);
    if (!named || !ts.isStringLiteralLike(named.specifier)) return;
    const specifier = named.specifier.text;
    const target = specifier.startsWith(".") ? join(dirname(path), specifier) : specifier;
    found.push({ specifier, target, line: lineOf(source, node), isTypeOnly: named.isTypeOnly });
  });
  return found;
}

function namedModule(node: ts.Node): { specifier: ts.Node; isTypeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node)) {
    const isTypeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { specifier: node.moduleSpecifier, isTypeOnly };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    return { specifier: node.moduleSpecifier, isTypeOnly: node.isTypeOnly };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: node.argument.literal, isTypeOnly: true };
  }
  if (ts.isCallExpression(node) && node.arguments[0] && isLoader(node.expression)) {
    return { specifier: node.arguments[0], isTypeOnly: false };
  }
  return undefined;
}

function isLoader(callee: ts.Node): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require");
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}
