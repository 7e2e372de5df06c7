// Node's own recursive mkdir tells most errors as ENOENT – a read-only disk, a used-up quota, an I/O error.
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { namingFile } from "./file-error.ts";

/** Makes a folder and those above it where they are missing. One that is there stays as it is. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || dirname(path) === path) namingFile(path)(error);
    await makeFolder(dirname(path), mode);
    await makeFolder(path, mode);
  }
}
