// Files that `harness init` writes into the checkout: only after a yes, and never over what is there.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const ignoredFiles = ["/harness-tasks.json*", "/harness-progress.txt", "/.harness-active", "/.harness/"];

export const initScriptFile = (root: string): string => join(root, "harness-init.sh");
export const hasInitScript = (root: string): boolean => existsSync(initScriptFile(root));

/** False when there is one already. */
export async function writeInitScript(root: string, text: string): Promise<boolean> {
  try {
    await writeFile(initScriptFile(root), text, { mode: 0o755, flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** The lines that .gitignore lacks. */
export async function missingFromGitignore(root: string): Promise<readonly string[]> {
  const present = new Set((await readGitignore(root)).split(/\r?\n/).map((line) => line.trim()));
  return ignoredFiles.filter((line) => !present.has(line) && !present.has(line.slice(1)));
}

export async function addToGitignore(root: string, lines: readonly string[]): Promise<void> {
  const present = await readGitignore(root);
  const start = present === "" || present.endsWith("\n") ? "" : "\n";
  await writeFile(join(root, ".gitignore"), `${start}${lines.join("\n")}\n`, { flag: "a" });
}

async function readGitignore(root: string): Promise<string> {
  const path = join(root, ".gitignore");
  return existsSync(path) ? readFile(path, "utf8") : "";
}
