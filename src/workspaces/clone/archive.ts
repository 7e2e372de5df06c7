// Workspaces that are put away whole, with their record beside them.
import { join } from "node:path";
import { kindOf, writeWhole } from "../../git/files.ts";
import type { Site } from "../../git/site.ts";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import { setAside } from "./aside.ts";
import { forget, moveFenced, type Owner, readRecord, type Slot } from "./slot.ts";

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
  await setAside(site, slot, fence);
  const archive = archivePath(site, owner, (await copiesOf(site, owner)) + 1);
  createFolderDurably(join(site.home, "archive"), 0o700);
  await writeWhole(`${archive}.json`, `${JSON.stringify((await readRecord(slot)) ?? owner)}\n`);
  await moveFenced(site, slot, fence, { from: slot.work, to: archive });
  await forget(slot);
  return archive;
}

export async function emptyArchive(site: Site, owner: Owner): Promise<string> {
  const archive = archivePath(site, owner, 1);
  createFolderDurably(archive, 0o700);
  await writeWhole(`${archive}.json`, `${JSON.stringify(owner)}\n`);
  return archive;
}
