// Folders of ours in `.harness/`, where an agent without a sandbox can put anything: nothing is written through a link.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../kit/make-folder.ts";

/** Made where it is missing, part by part; each of them a folder and no link. */
export async function plainFolder(root: string, ...parts: readonly string[]): Promise<string> {
  let folder = join(root, ".harness");
  for (const part of parts) {
    folder = join(folder, part);
    await makeFolder(folder);
    if ((await lstat(folder)).isSymbolicLink()) throw new Error(`${folder} is a link: nothing is written through it`);
  }
  return folder;
}
