// Changes files of the user's checkout: exactly those that differ between two trees, and only if they are as the first
// says. Ignored files are not looked at.
import { join } from "node:path";
import { isMissing, kindOf, syncDirectory, syncFile } from "../../git/files.ts";
import { gitBytes, gitPaths, shownPath } from "../../git/git.ts";
import type { Scratch } from "../../git/site.ts";
import type { Here } from "./here.ts";

/** The scratch's index is the checkout as it stands: of a snapshot just taken, which is `from`. */
export async function bring(
  here: Here,
  scratch: Scratch,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const names = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
  const changed = await gitPaths(scratch.place, names);
  if (changed.length === 0) return;
  await gitBytes({ ...scratch.place, workTree: here.work }, ["read-tree", "-m", "-u", from, to]);
  await syncAll(here, changed.map(shownPath));
}

/** On the disk before the record of how it should be is given up. */
async function syncAll(here: Here, files: readonly string[]): Promise<void> {
  const directories = new Set([here.work]);
  for (const file of files) {
    const parts = file.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) directories.add(join(here.work, ...parts.slice(0, depth)));
    if ((await kindOf(join(here.work, file))) === "file") await syncFile(join(here.work, file));
  }
  for (const directory of directories)
    await syncDirectory(directory).catch((error: unknown) => {
      // Gone with its last file.
      if (!isMissing(error)) throw error;
    });
}
