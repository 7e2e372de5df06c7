// What was put away, in either way: rescues in the vault, and whole directories in the archive. Both have one row of names.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { TaskId } from "../../protocol/ids.ts";
import { RescueManifest, RescueSummary, rescueName } from "../../protocol/rescue.ts";
import { isMissing } from "../files.ts";
import { refuse } from "../refusal.ts";

export interface Owner {
  readonly task: TaskId;
  readonly attempt: number;
}
interface Copy extends Owner {
  readonly copy: number;
}

export const vaultIn = (home: string): string => join(home, "vault");
export const archivesIn = (home: string): string => join(home, "archive");
export const vaultOf = (home: string, of: Copy): string => join(vaultIn(home), rescueName(of));
export const archiveOf = (home: string, { task, attempt, copy }: Copy): string =>
  join(archivesIn(home), `${task}-${attempt}-${copy}`);

/** What is beside an archived directory; older ones know less. */
const ArchiveRecord = z.object({
  task: TaskId,
  attempt: z.int().nonnegative(),
  base: z.string().nullable().default(null),
  at: z.int().nonnegative().default(0),
  why: z.string().default(""),
  /** Why it was not rescued. */
  whole: z.string().default(""),
  /** Of a linked work tree: the name of git's directory for it. */
  tie: z
    .object({ admin: z.string().regex(/^harness-[a-z0-9-]+$/) })
    .nullable()
    .catch(null)
    .default(null),
});

export type PutAway =
  | ({ readonly kind: "rescue"; readonly name: string; readonly where: string } & RescueSummary)
  | ({ readonly kind: "archive"; readonly name: string; readonly where: string; readonly copy: number } & z.infer<
      typeof ArchiveRecord
    >);

/** Newest first. */
export function listPutAway(home: string): readonly PutAway[] {
  const all = [...rescuesIn(home), ...archivedIn(home)];
  return all.sort((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1));
}

function rescuesIn(home: string, tasks = foldersIn(vaultIn(home))): PutAway[] {
  const vault = vaultIn(home);
  return tasks.flatMap((task) =>
    foldersIn(join(vault, task)).flatMap((attempt): PutAway[] => {
      const where = join(vault, task, attempt);
      const summary = RescueSummary.safeParse(readJson(join(where, "rescue.json")));
      return summary.success ? [{ kind: "rescue", name: `${task}/${attempt}`, where, ...summary.data }] : [];
    }),
  );
}

function archivedIn(home: string, wanted = ""): PutAway[] {
  const archives = archivesIn(home);
  const names = namesIn(archives).filter((name) => name.startsWith(wanted));
  return names.flatMap((name): PutAway[] => {
    const [, task = "", attempt = "", copy = ""] = /^(.+)-(\d+)-(\d+)$/.exec(name) ?? [];
    if (task === "") return [];
    const where = join(archives, name);
    const of = { task, attempt: Number(attempt), copy: Number(copy) };
    const record = ArchiveRecord.safeParse(readJson(`${where}.json`)).data ?? ArchiveRecord.parse(of);
    return [{ kind: "archive", where, ...record, ...of, name: rescueName(of) }];
  });
}

const isDraft = (name: string): boolean => name.startsWith(".");
const foldersIn = (directory: string): string[] => namesIn(directory).filter((name) => !isDraft(name));

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => !name.endsWith(".json"));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // Not there or damaged: the caller shows what it knows without it.
    return null;
  }
}

/** The last one of an attempt, or null. */
export function lastOf(home: string, { task, attempt }: Owner): PutAway | null {
  const own = [...rescuesIn(home, [task]), ...archivedIn(home, `${task}-${attempt}-`)].filter(
    (one) => one.task === task && one.attempt === attempt,
  );
  return own.reduce<PutAway | null>((last, one) => (last === null || one.copy > last.copy ? one : last), null);
}

export function nextCopy(home: string, owner: Owner): number {
  return (lastOf(home, owner)?.copy ?? 0) + 1;
}

export function readManifest(rescue: Extract<PutAway, { kind: "rescue" }>): RescueManifest {
  const file = join(rescue.where, "manifest.json");
  const manifest = RescueManifest.safeParse(readJson(file));
  if (manifest.success) return manifest.data;
  return refuse({ kind: "env_setup", message: `${file} cannot be read`, remedy: `Look at ${rescue.where} by hand.` });
}

/** Whether a directory of that attempt is kept whole: it reads the user's objects. */
export const hasArchive = (home: string, { task, attempt }: Owner): boolean =>
  archivedIn(home, `${task}-${attempt}-`).some((one) => one.task === task && one.attempt === attempt);
