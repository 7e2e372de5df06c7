// What moving a branch changes in its checkout, file by file, and what lies on the disk there.
import { createHash } from "node:crypto";
import { lstat, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { namingFile } from "../../kit/file-error.ts";
import type { CommitId } from "../../protocol/ids.ts";
import { isMissing } from "../files.ts";
import { gitBytes, shownPath } from "../git.ts";
import type { Site } from "../site.ts";

export interface Version {
  readonly mode: string;
  readonly blob: string;
}

export interface ChangedFile {
  /** One character per byte, as git's listings are read. */
  readonly path: string;
  readonly before: Version | null;
  readonly after: Version | null;
}

export const isSubmodule = (version: Version | null): boolean => version?.mode === "160000";

export async function changedFiles(site: Site, from: CommitId, to: CommitId): Promise<readonly ChangedFile[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none"];
  const listed = (await gitBytes({ gitDir: site.ledger }, [...args, from, to])).toString("latin1").split("\0");
  const changes: ChangedFile[] = [];
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const [beforeMode = "", afterMode = "", beforeBlob = "", afterBlob = ""] = (listed[at] ?? "").slice(1).split(" ");
    const version = (mode: string, blob: string): Version | null => (/^0+$/.test(mode) ? null : { mode, blob });
    changes.push({
      path: listed[at + 1] ?? "",
      before: version(beforeMode, beforeBlob),
      after: version(afterMode, afterBlob),
    });
  }
  return changes;
}

/** The place of a path in a checkout; a name need not be UTF-8. */
export const placeIn = (top: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(join(top, "/")), Buffer.from(path, "latin1")]);

export interface FileOnDisk {
  readonly kind: "file";
  readonly bytes: Buffer;
}
export type OnDisk = { readonly kind: "missing" | "directory" | "other" } | FileOnDisk;

export async function onDisk(place: Buffer): Promise<OnDisk> {
  try {
    const found = await lstat(place);
    if (found.isDirectory()) return { kind: "directory" };
    if (found.isSymbolicLink()) return { kind: "file", bytes: await readlink(place, { encoding: "buffer" }) };
    return found.isFile() ? { kind: "file", bytes: await readFile(place) } : { kind: "other" };
  } catch (error) {
    return isMissing(error) ? { kind: "missing" } : namingFile(place.toString("utf8"))(error);
  }
}

export const blobId = (format: string, bytes: Buffer): string =>
  createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

/** Some names for people, and how many more there are. */
export const named = (paths: readonly string[]): string => {
  const shown = paths.slice(0, 10).map(shownPath).join(", ");
  return `${shown}${paths.length > 10 ? ` and ${paths.length - 10} more` : ""}`.slice(0, 2_000);
};
