// What a workspace shows of work since its base, without a trace left in it.
import type { CommitId } from "../../protocol/ids.ts";
import type { WorkEvidence } from "../../workspaces/workspace.ts";
import { withAgentObjects } from "../agent-git.ts";
import { treeOf } from "../checkout.ts";
import { madePathsIn } from "../made.ts";
import { type Site, withScratch } from "../site.ts";
import { takeSnapshot } from "../snapshot.ts";
import { groundOf } from "./ground.ts";
import { noteSeen, refuseTorn } from "./restart.ts";
import { readRecord, refuseFree, slotAt } from "./slot.ts";

export async function inspectWorkspace(
  site: Site,
  { path, base }: { readonly path: string; readonly base: CommitId },
): Promise<WorkEvidence> {
  const slot = slotAt(site, path);
  const record = await readRecord(slot);
  refuseFree(slot, record);
  const exempt = await madePathsIn(slot.work);
  const ground = await groundOf(site, slot, record?.task ?? "");
  const { tree, nested } = await withScratch(site, [], (scratch) =>
    takeSnapshot(site, { ...slot, ...ground }, { base, record, scratch, exempt }),
  );
  if (record !== null) {
    await refuseTorn(record, tree);
    await noteSeen(slot, record, tree);
  }
  const baseTree = record?.base === base ? record.baseTree : await treeOf(site, base);
  const { head } = await ground.refs();
  const { commits, headTree } = await lookAtHead(site, ground.objects, { head, base, baseTree });
  // A head moved back behind the base has no commits of its own: then the files are compared with the base as well.
  const uncommitted = nested.length > 0 || tree !== headTree || (!commits && tree !== baseTree);
  return { uncommitted, commits, tree };
}

async function lookAtHead(
  site: Site,
  stores: readonly string[],
  { head, base, baseTree }: { readonly head: CommitId | null; readonly base: CommitId; readonly baseTree: string },
): Promise<{ readonly commits: boolean; readonly headTree: string }> {
  if (head === null || head === base) return { commits: false, headTree: baseTree };
  return withAgentObjects(site, stores, async (objects) => {
    const facts = await objects.facts(head);
    if (facts === null) return { commits: false, headTree: baseTree };
    return { commits: !(await objects.isPartOf(head, base)), headTree: facts.tree };
  });
}
