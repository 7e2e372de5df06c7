// What is wrong with a configuration, each problem as one line: where, which key, what, and what to do about it.
import { oneLine } from "../../kit/escape.ts";
import { Config, userOnlyKeys } from "../../protocol/config.ts";
import type { Failure } from "../../protocol/failure.ts";
import { fieldPath } from "../../protocol/strict-json.ts";
import { complaintsOf } from "./complaints.ts";
import { valueAt } from "./merge.ts";

export interface Problem {
  readonly message: string;
  readonly remedy: string;
}

export interface Layer {
  readonly origin: "user" | "project" | "flags";
  /** The file, or how else to call the place. */
  readonly name: string;
  readonly written: unknown;
}

const maxShown = 20;

/** One problem is the failure itself; several are its evidence, a line each. */
export function failureOf(problems: readonly [Problem, ...Problem[]]): Failure {
  const [{ message, remedy }, ...others] = problems;
  if (others.length === 0) {
    return { kind: "config", message: oneLine(message, 4_000), remedy: oneLine(remedy, 1_000) };
  }
  const lines = problems.slice(0, maxShown).map((problem) => oneLine(`${problem.message} – ${problem.remedy}`, 700));
  if (problems.length > maxShown) lines.push(`… and ${problems.length - maxShown} more`);
  return {
    kind: "config",
    message: `the configuration has ${problems.length} problems`,
    remedy: "correct each as its line says",
    evidence: lines.join("\n"),
  };
}

/** `userFile` is where the user may say what a project may not. */
export function problemsIn({ origin, name, written }: Layer, userFile: string): Problem[] {
  const refused = origin === "project" ? userOnlyKeys.filter((key) => valueAt(written, key) !== undefined) : [];
  const isRefused = (path: readonly PropertyKey[]): boolean =>
    refused.some((key) => key.every((part, index) => part === path[index]));
  const issues = Config.safeParse(written).error?.issues ?? [];
  return [
    ...refused.map((key) => ({
      message: `${name}: ${key.join(".")} is for the user to set, never for a project`,
      remedy: `remove it here; if you want it, set it in ${userFile}`,
    })),
    ...issues
      .filter(({ path }) => !isRefused(path))
      .flatMap((issue) => complaintsOf(issue, written))
      .map(({ path, what, remedy }) => ({
        message: path.length === 0 ? `${name}: it ${what}` : `${name}: ${pathText(path)} ${what}`,
        remedy,
      })),
  ];
}

const pathText = (path: readonly PropertyKey[]): string =>
  fieldPath(path.map((part) => (typeof part === "number" ? part : String(part))));
