// How directories of ours leave.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, kindOf, moveDurably } from "./files.ts";
import type { Site } from "./site.ts";

/** Only for directories that are ours and hold no work: taken out of sight at once, then removed. */
export async function discard(site: Site, path: string, move = moveDurably): Promise<void> {
  const trash = join(site.home, "trash");
  if ((await kindOf(path)) !== "missing") await move(path, join(trash, `${process.pid}-${process.hrtime.bigint()}`));
  const left = await readdir(trash).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  // What cannot be removed now is out of the way, and is tried again by the next one.
  await Promise.allSettled(left.map((name) => rm(join(trash, name), { recursive: true, force: true })));
}
