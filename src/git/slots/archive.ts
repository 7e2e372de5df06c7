// Workspaces that are put away whole, with their record beside them: the way for what cannot be rescued.

import { createFolderDurably } from "../../kit/durable-folder.ts";
import { rescueName } from "../../protocol/rescue.ts";
import { writeWhole } from "../files.ts";
import { archiveOf, archivesIn, nextCopy } from "../rescue/shelf.ts";
import type { Site } from "../site.ts";
import { setAside } from "./aside.ts";
import { moveLinked, relink } from "./linked-move.ts";
import { forget, moveFenced, type Owner, readRecord, type Slot } from "./slot.ts";
import { readTie } from "./tie.ts";

export interface Archiving {
  readonly fence: number;
  readonly at: number;
  readonly why: string;
  /** Why the directory itself had to be kept. */
  readonly whole: string;
}

/** Renames the workspace into the archive, its record first: a crash between leaves the workspace where it was. */
export async function moveToArchive(
  site: Site,
  slot: Slot,
  owner: Owner,
  { fence, ...about }: Archiving,
): Promise<string> {
  await setAside(site, slot, fence);
  const copy = nextCopy(site.home, owner);
  const archive = archiveOf(site.home, { ...owner, copy });
  createFolderDurably(archivesIn(site.home), 0o700);
  const tie = await readTie(slot);
  const known = { ...((await readRecord(slot)) ?? owner), ...(tie !== null && { tie }), ...about };
  await writeWhole(`${archive}.json`, `${JSON.stringify(known)}\n`);
  const move = (): Promise<void> => moveFenced(site, slot, fence, { from: slot.work, to: archive });
  if (tie !== null) await moveLinked(site, slot, { tie, to: archive, fence }, move);
  else {
    await move();
    await relink(site, slot.work, archive);
  }
  await forget(slot);
  return rescueName({ ...owner, copy });
}

export async function emptyArchive(site: Site, owner: Owner): Promise<string> {
  const archive = archiveOf(site.home, { ...owner, copy: 1 });
  createFolderDurably(archive, 0o700);
  const about = { at: Date.now(), why: "nothing of this attempt was found" };
  await writeWhole(`${archive}.json`, `${JSON.stringify({ ...owner, ...about })}\n`);
  return rescueName({ ...owner, copy: 1 });
}
