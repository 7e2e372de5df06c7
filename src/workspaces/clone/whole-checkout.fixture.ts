// For tests: everything of the user's that must stay as it is.
import { createHash } from "node:crypto";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

const sha1 = (bytes: Buffer): string => createHash("sha1").update(bytes).digest("hex");

const ours = /^\.git\/(objects|refs\/harness|refs\/heads\/harness)$/;

/** Every file of the checkout with its stamp and bytes, except what we may write: objects and our own references. */
export async function everyFile(top: string, except = ours, directory = top): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    const name = relative(top, path);
    if (except.test(name)) continue;
    if (entry.isDirectory()) Object.assign(files, await everyFile(top, except, path));
    else files[name] = `${(await lstat(path)).mtimeMs} ${entry.isFile() ? sha1(await readFile(path)) : ""}`;
  }
  return files;
}
