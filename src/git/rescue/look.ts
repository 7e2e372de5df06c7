// What was put away, for people: shown against its base, written out again, let go.
import type { Outcome } from "../../protocol/failure.ts";
import { gitPaths, shownPath } from "../git.ts";
import { answer } from "../refusal.ts";
import { baseRefOf, dropRef, findRepository } from "../user-repository.ts";
import { drop } from "./drop.ts";
import { gitPrefix } from "./place.ts";
import { repositoryIn } from "./rescue-repository.ts";
import { type Restored, restore } from "./restore.ts";
import { hasArchive, listPutAway, type PutAway, readManifest } from "./shelf.ts";

export interface ShownFile {
  readonly path: string;
  /** Against the base; `other`: ignored, or of another repository. */
  readonly status: "added" | "changed" | "removed" | "other";
  readonly size: number;
  readonly kept: "git" | "vault" | "manifest" | "base";
}

export const putAwayIn = (home: string): Promise<Outcome<readonly PutAway[]>> => answer(async () => listPutAway(home));

/** Null for a directory that is kept whole: it lies there to be looked at. */
export const filesOf = (home: string, of: PutAway): Promise<Outcome<readonly ShownFile[] | null>> =>
  answer(async () => (of.kind === "archive" ? null : await compared(home, of)));

async function compared(home: string, rescue: Extract<PutAway, { kind: "rescue" }>): Promise<readonly ShownFile[]> {
  const gitDir = repositoryIn(home);
  const base = new Map<string, string>();
  for (const line of await gitPaths({ gitDir }, ["ls-tree", "-r", "-z", "--full-tree", rescue.base])) {
    const [head = "", path = ""] = [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)];
    base.set(path, head.split(" ")[2] ?? "");
  }
  const shown: ShownFile[] = [];
  for (const { path, kind, size, blob, kept } of readManifest(rescue).entries) {
    const before = base.get(path);
    base.delete(path);
    if (kind === "directory" || path.startsWith(gitPrefix) || (before !== undefined && before === blob)) continue;
    const status = before !== undefined ? "changed" : blob !== null ? "added" : "other";
    shown.push({ path: shownPath(path), status, size, kept: kept.in });
  }
  for (const path of base.keys()) shown.push({ path: shownPath(path), status: "removed", size: 0, kept: "base" });
  return shown.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** `repository`: the user's, for a work tree of it. */
export const restorePutAway = (
  home: string,
  of: PutAway,
  directory: string,
  repository: string | null = null,
): Promise<Outcome<Restored>> =>
  answer(async () => {
    const { left, nested } = await restore(home, of, directory, await commonDirOf(repository, of));
    return { directory, left: left.map(shownPath), nested: nested.map(shownPath) };
  });

/** Null also where the repository is gone: what was put away is not. */
async function commonDirOf(repository: string | null, of: PutAway): Promise<string | null> {
  if (repository === null || of.kind !== "archive" || of.tie === null) return null;
  const found = await answer(() => findRepository(repository));
  return found.ok ? found.value.commonDir : null;
}

/** With the last directory of an attempt the pin of its base goes, too. */
export const dropPutAway = (repository: string, home: string, of: PutAway): Promise<Outcome<null>> =>
  answer(async () => {
    await drop(home, of, await commonDirOf(repository, of));
    if (of.kind === "archive" && !hasArchive(home, of))
      await dropRef(await findRepository(repository), baseRefOf({ home }, of.task, of.attempt));
    return null;
  });
