// Node's own recursive mkdir tells most errors as ENOENT – a read-only disk, a used-up quota, an I/O error.
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { namingFile } from "./file-error.ts";

/** Makes a folder and those above it where they are missing. One that is there stays as it is. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode }).catch(namingFile(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeFolder(path, mode);
  }
}
