// What a set-up made in a workspace is no part of the work that was done in it: it is set aside while that is archived,
// and taken back into the slot's next checkout if nobody changed it.
import { lstatSync, renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../kit/make-folder.ts";
import { isPlainlyIn } from "../fingerprint.ts";
import { forgetMade, isStillMade, readMade } from "../made.ts";
import { surely } from "../refusal.ts";
import type { Site } from "../site.ts";
import { fenced, type Slot } from "./slot.ts";

const asideOf = (slot: Slot): string => `${slot.work}.made`;

export async function setAside(site: Site, slot: Slot, fence: number): Promise<void> {
  const { key = "", roots = [] } = (await readMade(slot.work)) ?? {};
  if (key === "") return;
  const aside = asideOf(slot);
  await makeFolder(aside, 0o700);
  await fenced(site, slot, fence, () => moveAll(slot.work, roots, (from, n) => [from, join(aside, String(n))]));
}

/** Into a fresh checkout at `directory` that becomes the slot's workspace. */
export async function takeBack(site: Site, slot: Slot, fence: number, directory: string): Promise<void> {
  const made = await readMade(slot.work);
  if (made === null) return;
  const aside = asideOf(slot);
  await fenced(site, slot, fence, () => moveAll(directory, made.roots, (to, n) => [join(aside, String(n)), to]));
  await rm(aside, { recursive: true, force: true });
  if (await surely(isStillMade(slot.work, { at: directory }))) return;
  for (const root of made.roots)
    if (isPlainlyIn(directory, root)) await rm(join(directory, root), { recursive: true, force: true });
  await fenced(site, slot, fence, () => forgetMade(slot.work));
}

/** What cannot be moved stays where it is, and is made anew. Links on the way are not followed: they lead elsewhere. */
function moveAll(top: string, roots: readonly string[], move: (path: string, n: number) => [string, string]): void {
  roots.forEach((root, n) => {
    const [from, to] = move(join(top, root), n);
    if (!isPlainlyIn(top, root) || !isThere(from) || isThere(to)) return;
    try {
      renameSync(from, to);
    } catch {
      // A directory that may not be written: then the set-up runs again.
    }
  });
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
