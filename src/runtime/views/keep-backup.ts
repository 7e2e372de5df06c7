// Keeps a file's present content beside it as `.bak`, which is always a whole one.
import { constants } from "node:fs";
import { copyFile, link, open, rename, rm } from "node:fs/promises";
import { codeOf } from "./durable-file.ts";

/** File systems without hard links say it in many ways. */
const noLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"];

export async function keepBackup(path: string): Promise<void> {
  const fresh = `${path}.bak.new`;
  await rm(fresh, { force: true });
  try {
    await link(path, fresh);
  } catch (error) {
    if (!noLinks.includes(codeOf(error))) throw error;
    await copyDurably(path, fresh);
  }
  await rename(fresh, `${path}.bak`);
  // Renaming one link over another of the same file does nothing and leaves both.
  await rm(fresh, { force: true });
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  const copy = await open(to, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
}
