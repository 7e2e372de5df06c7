// Values of flags, checked where they are typed in: commander prints the message together with the flag's name.
import { statSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { VariablePatterns } from "../../protocol/env.ts";
import { OutputPath } from "../../protocol/outputs.ts";

interface Range {
  readonly from: number;
  readonly to: number;
  /** What the number counts. */
  readonly counts: string;
}

export function wholeNumber({ from, to, counts }: Range): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}: ${counts}.`);
  };
}

/** Of money or time: no sign, no exponent, and not nothing, for nothing would not mean unlimited. */
export function positiveAmount(counts: string, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number above 0, such as 2.50, and at most ${most}: ${counts}.`);
  };
}

/** `a,b` and repeated flags add up. */
export function nameList(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("It must be names with a comma between them, such as a,b.");
  return [...before, ...names];
}

/** The same, but an empty text means none. */
export const namesOrNone = (text: string, before: readonly string[] = []): readonly string[] =>
  text.trim() === "" ? before : nameList(text, before);

/** Each use adds one: a path may hold a comma. */
export function outputPaths(text: string, before: readonly string[] = []): readonly string[] {
  const wrong = OutputPath.safeParse(text).error?.issues[0];
  if (wrong !== undefined) throw new InvalidArgumentError(`It ${wrong.message}.`);
  return [...before, text];
}

/** The same, but an empty text means none. */
export const outputsOrNone = (text: string, before: readonly string[] = []): readonly string[] =>
  text.trim() === "" ? before : outputPaths(text, before);

/** Names of variables, `PREFIX_*` among them. */
export function variablePatterns(text: string, before: readonly string[] = []): readonly string[] {
  const names = nameList(text, before);
  const wrong = VariablePatterns.safeParse(names).error?.issues[0];
  if (wrong !== undefined) throw new InvalidArgumentError(`Each ${wrong.message}.`);
  return names;
}

export function folder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new InvalidArgumentError("There is no such folder.");
}
