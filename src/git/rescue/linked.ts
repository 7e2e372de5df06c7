// The git side of a linked work tree that was archived whole: git keeps its head and index in the user's repository.
import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { kindOf, readText, syncTree, writeWhole } from "../files.ts";
import { refuse } from "../refusal.ts";
import { copyWhole } from "./copy-whole.ts";
import type { PutAway } from "./shelf.ts";

/** Git's directory for it, if that still names the archive; null for a clone, or when somebody pruned or moved it. */
export async function adminOfArchive(commonDir: string | null, of: PutAway): Promise<string | null> {
  if (commonDir === null || of.kind !== "archive" || of.tie === null) return null;
  const admin = join(commonDir, "worktrees", of.tie.admin);
  return (await readText(join(admin, "gitdir"), 16_384)) === `${of.where}/.git\n` ? admin : null;
}

/** Somebody said that it must stay. */
export async function refuseLocked(admin: string, { name, where }: PutAway): Promise<void> {
  const reason = await readText(join(admin, "locked"), 4_096);
  if (reason === null) return;
  refuse({
    kind: "usage",
    message: `${name} is a git work tree that somebody locked${reason.trim() === "" ? "" : `: ${reason.trim()}`}`,
    remedy: `git worktree unlock ${where}`,
  });
}

/**
 * A copy in `draft`, that will be at `directory`, gets a head and an index of its own: with those of the archive, what is
 * done in the one would change the other. Answers git's new directory.
 */
export async function linkCopy(admin: string, draft: string, directory: string): Promise<string> {
  const own = join(admin, "..", `harness-restored-${randomBytes(6).toString("hex")}`);
  await mkdir(own);
  try {
    const { modes } = await copyWhole(admin, own);
    for (const { path, mode } of modes) chmodSync(path, mode);
    for (const name of ["locked", "index.lock"]) await rm(join(own, name), { force: true });
    // An agent wrote it, and git would run what it names.
    if ((await kindOf(join(own, "config.worktree"))) !== "missing")
      await rename(join(own, "config.worktree"), join(own, "config.worktree.rescued"));
    await writeWhole(join(own, "gitdir"), `${join(directory, ".git")}\n`);
    await syncTree(own);
    await writeWhole(join(draft, ".git"), `gitdir: ${own}\n`);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    throw error;
  }
  return own;
}
