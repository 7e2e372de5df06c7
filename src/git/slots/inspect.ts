// What a workspace shows of work since its base, without a trace left in it.
import type { CommitId } from "../../protocol/ids.ts";
import type { InspectRequest, WorkEvidence } from "../../workspaces/workspace.ts";
import { withAgentObjects } from "../agent-git.ts";
import { treeOf } from "../checkout.ts";
import { madePathsIn } from "../made.ts";
import { type Site, withScratch } from "../site.ts";
import { takeSnapshot } from "../snapshot.ts";
import { filesStanding } from "../standing.ts";
import { groundOf } from "./ground.ts";
import { noteSeen, refuseTorn } from "./restart.ts";
import { readRecord, refuseFree, slotAt } from "./slot.ts";

export async function inspectWorkspace(site: Site, { path, base, standing }: InspectRequest): Promise<WorkEvidence> {
  const slot = slotAt(site, path);
  const record = await readRecord(slot);
  refuseFree(slot, record);
  const exempt = await madePathsIn(slot.work);
  const ground = await groundOf(site, slot, record?.task ?? "");
  const { tree, nested, files } = await withScratch(site, [], async (scratch) => {
    const taken = await takeSnapshot(site, { ...slot, ...ground }, { base, record, scratch, exempt });
    const { rootPrefix } = site;
    return {
      ...taken,
      files: standing && (await filesStanding(scratch.place, { base, tree: taken.tree, rootPrefix })),
    };
  });
  if (record !== null) {
    await refuseTorn(record, tree);
    await noteSeen(slot, record, tree);
  }
  const baseTree = record?.base === base ? record.baseTree : await treeOf(site, base);
  const { head } = await ground.refs();
  const { commits, headTree, subjects } = await lookAtHead(site, ground.objects, { head, base, baseTree, standing });
  // A head moved back behind the base has no commits of its own: then the files are compared with the base as well.
  const uncommitted = nested.length > 0 || tree !== headTree || (!commits && tree !== baseTree);
  return { uncommitted, commits, tree, ...(files && { standing: { ...files, commits: [...subjects] } }) };
}

interface HeadRequest extends Pick<InspectRequest, "base" | "standing"> {
  readonly head: CommitId | null;
  readonly baseTree: string;
}

async function lookAtHead(
  site: Site,
  stores: readonly string[],
  { head, base, baseTree, standing }: HeadRequest,
): Promise<{ readonly commits: boolean; readonly headTree: string; readonly subjects: readonly string[] }> {
  const none = { commits: false, headTree: baseTree, subjects: [] };
  if (head === null || head === base) return none;
  return withAgentObjects(site, stores, async (objects) => {
    const facts = await objects.facts(head);
    if (facts === null) return none;
    const subjects = standing ? await objects.subjects(head, base) : [];
    return { commits: !(await objects.isPartOf(head, base)), headTree: facts.tree, subjects };
  });
}
