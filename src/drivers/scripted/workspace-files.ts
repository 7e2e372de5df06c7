// File steps that cannot leave the workspace, not even through a link.
import { constants } from "node:fs";
import { mkdir, open, realpath, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";

export async function putFile(cwd: string, path: string, text: string, how: "write" | "append"): Promise<void> {
  const target = await contain(cwd, path);
  await mkdir(dirname(target), { recursive: true });
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const file = await open(target, O_WRONLY | O_CREAT | O_NOFOLLOW | (how === "append" ? O_APPEND : O_TRUNC), 0o666);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

export async function removeFile(cwd: string, path: string): Promise<void> {
  await rm(await contain(cwd, path), { recursive: true });
}

/** The path itself may be a link – it is removed or refused, never followed; its folders must really be inside. */
async function contain(cwd: string, path: string): Promise<string> {
  const root = await realpath(cwd);
  const target = join(root, path);
  const folder = await deepestFolder(dirname(target));
  if (target === root || (folder !== root && !folder.startsWith(root + sep))) {
    throw new Error(`the path leaves the workspace: ${path}`);
  }
  return target;
}

async function deepestFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing || path === dirname(path)) throw error;
    return deepestFolder(dirname(path));
  }
}
