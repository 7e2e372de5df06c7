// What ties a slot's workspace to the user's repository when it is a linked work tree of it: git keeps its head and
// index in a directory of that repository. Noted beside the workspace before anything is made there, so that whatever
// a crash leaves is known for ours. A private clone has no tie.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { CommitId, TaskId } from "../../protocol/ids.ts";
import { kindOf, readText } from "../files.ts";
import { refuse } from "../refusal.ts";
import type { Site } from "../site.ts";
import { type Slot, writeFenced } from "./slot.ts";

const Tie = z.object({
  v: z.literal(1),
  /** Name of the directory below `worktrees/` of the repository. */
  admin: z.string().regex(/^harness-[a-z0-9-]+$/),
  /** The branch made for it, without `refs/heads/`. */
  branch: z.string(),
  base: CommitId,
  task: TaskId,
  /** Being moved there. */
  moving: z.object({ to: z.string() }).nullable().default(null),
  /** Found empty of work and being taken away; the branch goes if it is still there. */
  removing: z.object({ tip: CommitId.nullable() }).nullable().default(null),
});
export type Tie = z.infer<typeof Tie>;

export async function readTie(slot: Slot): Promise<Tie | null> {
  const text = await readText(slot.tie, 64_000);
  if (text === null) return null;
  try {
    return Tie.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Damaged: then nothing in the user's repository is taken for ours.
    return null;
  }
}

/** Refuses whoever was replaced: the tie of another's workspace must stay. */
export const writeTie = (site: Site, slot: Slot, fence: number, tie: Tie): Promise<void> =>
  writeFenced(site, slot, fence, slot.tie, `${JSON.stringify(tie)}\n`);

const adminsIn = (site: Site): string => join(site.user.commonDir, "worktrees");
export const adminOf = (site: Site, { admin }: Pick<Tie, "admin">): string => join(adminsIn(site), admin);

/** The text of `.git` in a linked work tree, and of `gitdir` in its admin directory: each names the other. */
export const linkText = (admin: string): string => `gitdir: ${admin}\n`;
export const backLinkText = (work: string): string => `${join(work, ".git")}\n`;

/** Admin directories of all linked work trees that are at, or below, this path; others are nobody's business here. */
export async function adminsBelow(site: Site, work: string): Promise<readonly { admin: string; at: string }[]> {
  const directory = adminsIn(site);
  if ((await kindOf(directory)) !== "directory") return [];
  const found: { admin: string; at: string }[] = [];
  for (const name of await readdir(directory)) {
    const at = ((await readText(join(directory, name, "gitdir"), 16_384)) ?? "").trimEnd();
    if (at.startsWith(`${work}/`)) found.push({ admin: join(directory, name), at });
  }
  return found;
}

/** What somebody else made there with git is neither moved nor removed. */
export async function refuseForeign(site: Site, slot: Slot): Promise<void> {
  if (!(await isForeign(site, slot.work, await readTie(slot)))) return;
  refuse({
    kind: "env_setup",
    message: `${slot.work} is a git work tree that Harness did not make: it is neither moved nor removed`,
    remedy: `Move it away: git worktree move ${slot.work} DIRECTORY`,
  });
}

/** Whether the directory is a linked work tree, of this or another repository, that somebody else made. */
async function isForeign(site: Site, work: string, tie: Tie | null): Promise<boolean> {
  const link = /^gitdir: (.+)\n?$/.exec((await readText(join(work, ".git"), 16_384)) ?? "")?.[1];
  if (link === undefined || (tie !== null && link === adminOf(site, tie))) return false;
  // What an agent wrote there by itself names no place that knows of it.
  return (await readText(join(link, "gitdir"), 16_384))?.trimEnd() === join(work, ".git");
}
