// Moves a linked work tree. It and git's directory for it name each other, so both are changed; in between it is locked,
// lest `git worktree prune` takes it for gone. What a crash leaves half done is finished by whoever has the slot next.
import { unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, kindOf, readText, writeWhole } from "../files.ts";
import type { Site } from "../site.ts";
import { keepCommit } from "../user-repository.ts";
import { readLinkedRefs } from "./linked-head.ts";
import type { Slot } from "./slot.ts";
import { adminOf, adminsBelow, type Tie, writeTie } from "./tie.ts";

const lockText = "harness: being moved\n";

export async function moveLinked(
  site: Site,
  slot: Slot,
  { tie, to, fence }: { readonly tie: Tie; readonly to: string; readonly fence: number },
  move: () => Promise<void>,
): Promise<void> {
  const admin = adminOf(site, tie);
  const moved = { ...tie, moving: { to } };
  await writeTie(site, slot, fence, moved);
  if ((await kindOf(admin)) === "directory") await lock(admin);
  await move();
  await finishMove(site, slot, moved);
}

/** Out of sight for a while, and back in its place when that has ended well. */
export async function whileAway(site: Site, tie: Tie | null, act: () => Promise<void>): Promise<void> {
  if (tie === null) return act();
  const admin = adminOf(site, tie);
  await lock(admin);
  await act();
  await unlock(admin);
}

/** Also for a move that never came about. */
export async function finishMove(site: Site, slot: Slot, tie: Tie): Promise<void> {
  const admin = adminOf(site, tie);
  const to = tie.moving?.to;
  if (to !== undefined && (await kindOf(slot.work)) === "missing") {
    await relink(site, slot.work, to);
    if ((await kindOf(admin)) === "directory") await detach(site, slot, tie);
  }
  await unlock(admin);
}

/** Work trees that somebody made inside go along. */
export async function relink(site: Site, from: string, to: string): Promise<void> {
  for (const { admin, at } of await adminsBelow(site, from))
    await writeWhole(join(admin, "gitdir"), `${to}${at.slice(from.length)}\n`);
}

/** Its branch is free for the next attempt; the commit stays, here and under a reference of ours. */
async function detach(site: Site, slot: Slot, tie: Tie): Promise<void> {
  const { head, headText } = await readLinkedRefs(site, slot, tie);
  if (head === null) return;
  await keepCommit(site.user, tie.task, head);
  if (headText !== head) await writeWhole(join(adminOf(site, tie), "HEAD"), `${head}\n`);
}

/** One that is locked already is left as it is. */
async function lock(admin: string): Promise<void> {
  await writeFile(join(admin, "locked"), lockText, { flag: "wx" }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
}

export async function unlock(admin: string): Promise<void> {
  if ((await readText(join(admin, "locked"), 4_096)) !== lockText) return;
  await unlink(join(admin, "locked")).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}
