// Lets something that was put away go, for good. Only ever asked for by a person.
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { kindOf, moveDurably, syncDirectory } from "../files.ts";
import { placeIn } from "../trash.ts";
import { adminOfArchive, refuseLocked } from "./linked.ts";
import { alone, compact, repositoryIn, rescueRef, tagRef } from "./rescue-repository.ts";
import type { PutAway } from "./shelf.ts";

/**
 * The name goes first: an interrupted drop leaves nothing that looks whole. What it leaves of a linked work tree in the
 * user's repository git prunes by itself.
 */
export async function drop(home: string, of: PutAway, commonDir: string | null = null): Promise<void> {
  const admin = await adminOfArchive(commonDir, of);
  if (admin !== null) await refuseLocked(admin, of);
  await alone(home, async () => {
    const trash = placeIn(join(home, "trash"));
    if ((await kindOf(of.where)) !== "missing") await moveDurably(of.where, trash);
    if (of.kind === "archive") await rm(`${of.where}.json`, { force: true });
    else await dropRefs(home, of);
    if (admin !== null) await rm(admin, { recursive: true, force: true });
    await rm(trash, { recursive: true, force: true });
  });
}

async function dropRefs(home: string, { name, tags }: Extract<PutAway, { kind: "rescue" }>): Promise<void> {
  const gitDir = repositoryIn(home);
  for (const ref of [rescueRef(name), ...tags.map((id) => tagRef(name, id))]) {
    await rm(join(gitDir, ref), { force: true });
    await syncDirectory(dirname(join(gitDir, ref)));
  }
  await compact(gitDir, "always");
}
