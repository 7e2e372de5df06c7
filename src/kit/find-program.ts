// Finds the file a program name stands for, the way exec does, but against a given environment and directory.
import { access, constants, stat } from "node:fs/promises";
import { delimiter, resolve } from "node:path";

/** What POSIX systems search when the environment has no PATH. */
const defaultPath = "/usr/local/bin:/usr/bin:/bin";

/** The absolute path, or null when nothing executable answers to the name. */
export async function findProgram(
  name: string,
  from: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string | null> {
  const folders = name.includes("/") ? [""] : (from.env.PATH ?? defaultPath).split(delimiter);
  for (const folder of folders) {
    const file = resolve(from.cwd, folder, name);
    if (await isExecutable(file)) return file;
  }
  return null;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    // Absent, not ours to run, or not a possible path: all mean that exec would not take it.
    return false;
  }
}
