// Writes of which the system takes only the first half, once and from then on. Nothing is wrong then: the rest is to be
// written by another call, and the operation must end as if it had not happened.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Trouble } from "./errors.ts";
import type { Point } from "./points.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { type Steps, sample } from "./sample.ts";
import type { Traced } from "./strace.ts";

const maxTries = 12;

/** Built once for each process of tests. */
let library: string | undefined;
function builtLibrary(): string {
  if (library !== undefined) return library;
  const folder = mkdtempSync(join(tmpdir(), "harness-short-write-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  library = join(folder, "short-write.so");
  const source = join(import.meta.dirname, "short-write.c");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source]);
  return library;
}

/** What is performed again and again, from the same beginning. */
export interface Stage {
  restore(): void;
  perform(env: Readonly<Record<string, string>>): Promise<Traced>;
  /** Where the writes are noted; not put back. */
  readonly log: string;
}

export const stageOf = ({ scene, operation }: Rehearsal): Stage => ({
  restore: () => scene.restore(),
  perform: (env) => scene.performed(operation.args, env),
  log: `${scene.beside}.writes`,
});

/** Answers the files written to, in order, or with `meant` the writes that were cut. */
async function performCut(
  { restore, perform, log }: Stage,
  meant: Readonly<Record<string, string>>,
): Promise<{ readonly ended: Traced; readonly paths: readonly string[] }> {
  rmSync(log, { force: true });
  restore();
  const env = {
    LD_PRELOAD: builtLibrary(),
    SHORT_WRITE_IN: basename(process.execPath),
    SHORT_WRITE_LOG: log,
    ...meant,
  };
  const ended = await perform(env);
  return { ended, paths: existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [] };
}

/** Every write to a file, once and for ever. */
export async function shortWrites(stage: Stage, steps: Steps): Promise<readonly Trouble[]> {
  const { ended, paths } = await performCut(stage, {});
  if (ended.code !== 0) throw new Error(`it fails when it is only watched: ${ended.stderr}`);
  const counts = new Map<string, number>();
  const points = paths.map((path): Point => {
    const nth = (counts.get(path) ?? 0) + 1;
    counts.set(path, nth);
    return { name: "write", path, nth, line: "" };
  });
  const half = (point: Point): readonly Trouble[] => [
    { point, what: "every write from there on taken by half", inject: "on" },
    { point, what: "one write taken by half", inject: "" },
  ];
  return sample(points.flatMap(half), steps);
}

/** Null when the write was not made: threads overtake each other, and views are written when there is time. */
export async function cutWrite(
  stage: Stage,
  { point, inject }: Trouble,
  more: Readonly<Record<string, string>> = {},
): Promise<Traced | null> {
  const on = inject === "on" ? { ...more, SHORT_WRITE_ON: "1" } : more;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { ended, paths } = await performCut(stage, {
      SHORT_WRITE_PATH: point.path,
      SHORT_WRITE_AT: String(point.nth),
      ...on,
    });
    if (paths.length > 0) return { ...ended, hits: paths.length };
  }
  return null;
}

/** It is no error, and nobody is told of one. */
export function unharmed({ code, signal, hung, stderr }: Traced): readonly string[] {
  if (hung) return ["hung"];
  return code === 0 ? [] : [`exit ${code ?? signal}: ${stderr.slice(-400)}`];
}
