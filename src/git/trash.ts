// How directories of ours leave.
import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../kit/make-folder.ts";
import { isMissing, kindOf, moveDurably } from "./files.ts";
import type { Site } from "./site.ts";

/** Only for directories that are ours and hold no work: taken out of sight at once, then removed. */
export async function discard(site: Site, path: string): Promise<void> {
  const trash = join(site.home, "trash");
  if ((await kindOf(path)) !== "missing") await moveDurably(path, placeIn(trash));
  await empty(trash);
}

/** The same without waiting for the disk, nor for the removal: for what may come back after a crash. */
export async function throwAway(site: Site, path: string): Promise<void> {
  const trash = join(site.home, "trash");
  await makeFolder(trash, 0o700);
  if ((await kindOf(path)) !== "missing") renameSync(path, placeIn(trash));
  // What goes wrong is none of the caller's business: it is out of the way, and the next one tries again.
  empty(trash).catch(() => undefined);
}

export const placeIn = (trash: string): string => join(trash, randomBytes(9).toString("hex"));

async function empty(trash: string): Promise<void> {
  const left = await readdir(trash).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  // What cannot be removed now is out of the way, and is tried again by the next one.
  await Promise.allSettled(left.map((name) => rm(join(trash, name), { recursive: true, force: true })));
}
