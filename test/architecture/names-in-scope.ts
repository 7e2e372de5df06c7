// Finds where a module reaches for something that is not its own, such as `Date` or `process.exit`.

import ts from "typescript";
import { type Module, place, walk } from "./modules.ts";

/** Uses of a global: not properties of that name, and not names the module declares itself. */
export function usesOfGlobals(module: Module, names: readonly string[]): string[] {
  const declared = declaredNames(module);
  const wanted = new Set(names.filter((name) => !declared.has(name)));
  const uses: string[] = [];
  walk(module.source, (node) => {
    if (!ts.isIdentifier(node) || !wanted.has(node.text) || isOnlyAName(node)) return;
    uses.push(`${place(module, node)} ${node.text}`);
  });
  return uses;
}

/** Uses of `object.member`, written with a dot. */
export function usesOfMembers(module: Module, members: readonly string[]): string[] {
  const uses: string[] = [];
  walk(module.source, (node) => {
    if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression)) return;
    const name = `${node.expression.text}.${node.name.text}`;
    if (members.includes(name)) uses.push(`${place(module, node)} ${name}`);
  });
  return uses;
}

/** `async` functions, `await` and `for await`. */
export function usesOfAsync(module: Module): string[] {
  const uses: string[] = [];
  walk(module.source, (node) => {
    const isAsync = node.kind === ts.SyntaxKind.AsyncKeyword || node.kind === ts.SyntaxKind.AwaitKeyword;
    if (isAsync || ts.isAwaitExpression(node)) uses.push(`${place(module, node)} ${node.getText().split(/\s/)[0]}`);
  });
  return uses;
}

function declaredNames(module: Module): Set<string> {
  const names = new Set<string>();
  walk(module.source, (node) => {
    const isDeclaration = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
    if (isDeclaration && ts.isIdentifier(node.name)) names.add(node.name.text);
    if (ts.isFunctionDeclaration(node) && node.name) names.add(node.name.text);
    if (ts.isImportSpecifier(node)) names.add(node.name.text);
  });
  return names;
}

function isOnlyAName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return false;
  if (ts.isQualifiedName(parent)) return parent.right === node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  return "name" in parent && parent.name === node;
}
