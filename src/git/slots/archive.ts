// Putting workspaces away: renamed, never deleted, each with its record beside it.
import { join } from "node:path";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import type { Failure } from "../../protocol/failure.ts";
import { kindOf, writeWhole } from "../files.ts";
import { refuse } from "../refusal.ts";
import type { Site } from "../site.ts";
import { moveLinked, relink } from "./linked-move.ts";
import { forget, moveFenced, type Owner, readRecord, type Slot } from "./slot.ts";
import { isForeign, readTie } from "./tie.ts";

const archivePath = (site: Site, { task, attempt }: Owner, copy: number): string =>
  join(site.home, "archive", `${task}-${attempt}-${copy}`);

async function copiesOf(site: Site, owner: Owner): Promise<number> {
  let copies = 0;
  while ((await kindOf(archivePath(site, owner, copies + 1))) !== "missing") copies += 1;
  return copies;
}

export async function archivedAs(site: Site, owner: Owner): Promise<string | null> {
  const copies = await copiesOf(site, owner);
  return copies === 0 ? null : archivePath(site, owner, copies);
}

/** Renames the workspace into the archive, its record first: a crash between leaves the workspace where it was. */
export async function moveToArchive(site: Site, slot: Slot, owner: Owner, fence: number): Promise<string> {
  const archive = archivePath(site, owner, (await copiesOf(site, owner)) + 1);
  createFolderDurably(join(site.home, "archive"), 0o700);
  const tie = await readTie(slot);
  if (await isForeign(site, slot.work, tie)) refuse(foreign(slot));
  const known = { ...((await readRecord(slot)) ?? owner), ...(tie !== null && { tie }) };
  await writeWhole(`${archive}.json`, `${JSON.stringify(known)}\n`);
  const move = (): Promise<void> => moveFenced(site, slot, fence, { from: slot.work, to: archive });
  if (tie !== null) await moveLinked(site, slot, { tie, to: archive }, move);
  else {
    await move();
    await relink(site, slot.work, archive);
  }
  await forget(slot);
  return archive;
}

export async function emptyArchive(site: Site, owner: Owner): Promise<string> {
  const archive = archivePath(site, owner, 1);
  createFolderDurably(archive, 0o700);
  await writeWhole(`${archive}.json`, `${JSON.stringify(owner)}\n`);
  return archive;
}

const foreign = (slot: Slot): Failure => ({
  kind: "env_setup",
  message: `${slot.work} is a git work tree that Harness did not make: it is neither moved nor removed`,
  remedy: `Move it away: git worktree move ${slot.work} DIRECTORY`,
});
