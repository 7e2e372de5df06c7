// Whether a workspace holds nothing that the mission branch does not hold: only then it is removed. Any doubt is a no.
import type { CommitId } from "../../protocol/ids.ts";
import { withAgentObjects } from "../agent-git.ts";
import { kindOf } from "../files.ts";
import { git, gitPaths } from "../git.ts";
import { madePathsIn } from "../made.ts";
import { type Scratch, type Site, withScratch } from "../site.ts";
import { hasLeftovers, isIndexOfBase, takeSnapshot } from "../snapshot.ts";
import { missionHead } from "../user-repository.ts";
import { type Ground, groundOf } from "./ground.ts";
import { hasCommittedIndex, type Slot, type SlotRecord } from "./slot.ts";

export async function holdsOnlyMergedWork(site: Site, slot: Slot, record: SlotRecord): Promise<boolean> {
  if ((await kindOf(slot.work)) !== "directory") return false;
  const ground = await groundOf(site, slot, record.task);
  const { base } = record;
  const committed = (await isAsCommitted(site, slot, record)) ? (record.candidate?.tree ?? null) : null;
  const tree = committed ?? (await wholeTree(site, { slot, ground, record }));
  if (tree === null) return false;
  const staged =
    !(await isIndexOfBase(ground.theirIndex, record)) &&
    (await withScratch(site, [], (scratch) => stagesMore(ground, { base, tree, scratch })));
  if (staged) return false;
  if (tree !== record.baseTree && !(tree === record.candidate?.tree && (await isMerged(site, record)))) return false;
  return commitsAreIn(site, ground, { base, tree });
}

/** By the index that was kept of the last candidate: no file changed, came or went since. */
async function isAsCommitted(site: Site, slot: Slot, record: SlotRecord): Promise<boolean> {
  if (!(await hasCommittedIndex(slot, record))) return false;
  const place = { gitDir: site.ledger, workTree: slot.work, indexFile: slot.committedIndex };
  return !(await hasLeftovers(place, await madePathsIn(slot.work)));
}

/** The tree as it stands; null when it cannot hold all that is there. */
async function wholeTree(
  site: Site,
  { slot, ground, record }: { readonly slot: Slot; readonly ground: Ground; readonly record: SlotRecord },
): Promise<string | null> {
  const exempt = await madePathsIn(slot.work);
  const about = { base: record.base, record, exempt, leftovers: "look" } as const;
  const seen = await withScratch(site, [], (scratch) =>
    takeSnapshot(site, { ...slot, ...ground }, { ...about, scratch }),
  );
  return seen.nested.length > 0 || seen.leftovers ? null : seen.tree;
}

/** The same of a workspace whose directory is gone: what git kept of it elsewhere. */
export async function gitSideHoldsOnly(
  site: Site,
  ground: Ground,
  { base, tree }: { readonly base: CommitId; readonly tree: string },
): Promise<boolean> {
  const staged =
    (await kindOf(ground.theirIndex)) !== "missing" &&
    (await withScratch(site, [], (scratch) => stagesMore(ground, { base, tree, scratch })));
  return !staged && (await commitsAreIn(site, ground, { base, tree }));
}

/** Whether the agent's index holds content of its own: neither the base's nor what the files have now. */
async function stagesMore(
  { theirIndex: indexFile }: Ground,
  { base, tree, scratch }: { readonly base: string; readonly tree: string; readonly scratch: Scratch },
): Promise<boolean> {
  const call = { ...scratch.place, indexFile };
  if ((await kindOf(indexFile)) !== "file") return true;
  const against = async (treeish: string): Promise<string[]> => {
    const fields = await gitPaths(call, ["diff-index", "--cached", "--raw", "-z", "--no-renames", treeish, "--"]);
    return fields.flatMap((field, i) => {
      if (i % 2 === 1) return [];
      const [, , , staged, status] = field.split(" ");
      return status === "D" ? [] : [`${staged} ${fields[i + 1]}`];
    });
  };
  const changed = new Set(await against(base));
  if (changed.size === 0) return false;
  return (await against(tree)).some((entry) => changed.has(entry));
}

async function isMerged(site: Site, { candidate }: SlotRecord): Promise<boolean> {
  if (candidate === null) return false;
  const head = await missionHead(site.user, site.branch);
  if (head.commit === candidate.commit) return true;
  const args = ["merge-base", "--is-ancestor", candidate.commit, head.commit];
  return (await git({ gitDir: site.user.commonDir }, args)).code === 0;
}

/** Each reference, stashes and tags too, is at a commit of the user's, or at one commit on the base with this tree. */
async function commitsAreIn(
  site: Site,
  ground: Ground,
  { base, tree }: { readonly base: CommitId; readonly tree: string },
): Promise<boolean> {
  const { head, refs, complete } = await ground.refs();
  if (!complete || head === null) return false;
  const tips = new Set([head, ...refs.values()]);
  return withAgentObjects(site, ground.objects, async (objects) => {
    for (const tip of tips) {
      if (await objects.isPartOf(tip, base)) continue;
      const facts = await objects.facts(tip);
      if (facts?.tree !== tree || facts.parents.join() !== base) return false;
    }
    return true;
  });
}
