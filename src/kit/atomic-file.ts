// Replaces a file as a whole: a reader, also one after a power cut, finds the old content or the new, never a part.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { namingFile } from "./file-error.ts";

/** Durable once it resolves. `onlyNew`: fails with EEXIST where there is one, whoever was quicker. On failure the old content stands, unless only the last sync of the folder failed. */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { readonly mode?: number; readonly onlyNew?: boolean } = {},
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeDurably(temporary, data, options.mode ?? 0o600).catch(namingFile(temporary));
    if (options.onlyNew) await link(temporary, path);
    else await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (options.onlyNew) await rm(temporary, { force: true });
  await syncFolder(folder).catch(namingFile(folder));
}

async function writeDurably(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    // Past the umask: the mode that was asked for is the mode it gets.
    await file.chmod(mode);
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The rename itself is only durable once the folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
