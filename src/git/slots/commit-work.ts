// The candidate of a workspace: the tree as it stands, if all of it can be part of a commit.

import { currentBoot } from "../../kit/process-identity.ts";
import type { Candidate, CommitRequest } from "../../workspaces/workspace.ts";
import { makeCandidate, shown } from "../candidate.ts";
import { copyIndex, hashOfFile } from "../files.ts";
import { shownPath } from "../git.ts";
import { madePathsIn } from "../made.ts";
import { unresolvedFiles } from "../markers.ts";
import { refuse } from "../refusal.ts";
import { type Scratch, type Site, withScratch } from "../site.ts";
import { takeSnapshot } from "../snapshot.ts";
import { refuseMovedSubmodules } from "../submodules.ts";
import { groundOf } from "./ground.ts";
import { refuseTorn } from "./restart.ts";
import { readRecord, refuseFree, type Slot, slotAt, writeRecord } from "./slot.ts";

export async function commitWork(site: Site, { path, base, message, kept = null }: CommitRequest): Promise<Candidate> {
  const slot = slotAt(site, path);
  const record = await readRecord(slot);
  refuseFree(slot, record);
  const exempt = await madePathsIn(slot.work);
  return withScratch(site, [], async (scratch) => {
    const at = { ...slot, ...(await groundOf(site, slot, record?.task ?? "")) };
    const { tree, nested, submodules } = await takeSnapshot(site, at, { base, record, scratch, exempt });
    if (record !== null) await refuseTorn(record, tree);
    if (nested.length > 0) refuseNested(nested);
    await refuseMovedSubmodules(slot.work, submodules);
    if (kept !== null) refuseMarkers(await unresolvedFiles(scratch.place, { kept, base, tree }));
    const candidate = await makeCandidate(site, scratch, { base, tree, message });
    const { withoutSubmodules: without } = site.user.known;
    // No candidate adds one: what was put together from commits without any has none.
    if (without.has(base) && without.has(candidate.parent)) without.add(candidate.commit);
    if (record !== null) {
      const index = await keepIndex(slot, scratch);
      const of = { tree, commit: candidate.commit, ...(submodules.length === 0 && { index }) };
      await writeRecord(slot, { ...record, boot: await currentBoot(), candidate: of });
    }
    return candidate;
  });
}

/** Known by its hash: one that a crash left behind, or half of one, is of no candidate. */
async function keepIndex(slot: Slot, scratch: Scratch): Promise<string> {
  await copyIndex(scratch.place.indexFile, slot.committedIndex);
  return hashOfFile(slot.committedIndex);
}

function refuseMarkers(files: readonly string[]): void {
  if (files.length === 0) return;
  refuse({
    kind: "unresolved",
    message: `conflict markers are left in ${shown(files.map(shownPath))}`,
    remedy: "Resolve both sides in these files.",
  });
}

function refuseNested(nested: readonly string[]): never {
  return refuse({
    kind: "task_exec",
    message: `git repositories inside the workspace cannot be part of a candidate: ${shown(nested.map(shownPath))}`,
    remedy: "Remove their .git directories so that the files count as work, or ignore them.",
  });
}
