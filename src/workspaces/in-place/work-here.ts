// What an attempt did in the user's checkout, seen and made a candidate. Everything that is not ignored counts: with
// --with-changes also what the user had there before, for that is what the user asked for.
import { stat } from "node:fs/promises";
import { makeCandidate, shown } from "../../git/candidate.ts";
import { treeOf } from "../../git/checkout.ts";
import { shownPath } from "../../git/git.ts";
import { headOfGitDir } from "../../git/head.ts";
import { collectLeft } from "../../git/left.ts";
import { refuse } from "../../git/refusal.ts";
import { type Site, withScratch } from "../../git/site.ts";
import { refuseTorn } from "../../git/slots/restart.ts";
import { takeSnapshot } from "../../git/snapshot.ts";
import { commitSubjects, filesStanding } from "../../git/standing.ts";
import { refuseMovedSubmodules } from "../../git/submodules.ts";
import { readHead } from "../../git/user-repository.ts";
import { currentBoot } from "../../kit/process-identity.ts";
import type { CommitId } from "../../protocol/ids.ts";
import type { LeftFiles } from "../../protocol/left.ts";
import type { Candidate, CommitRequest, InspectRequest, WorkEvidence } from "../workspace.ts";
import { branchHere, type Here, type HereRecord, operationHere, readHere, refuseOtherPath, writeHere } from "./here.ts";
import { isIn } from "./roll-back.ts";

async function recordHere(here: Here, path: string): Promise<HereRecord> {
  refuseOtherPath(here, path);
  const record = await readHere(here);
  return record ?? refuse({ kind: "env_setup", message: `no attempt is under way in ${path}` });
}

const seeded = ({ start, submodules }: HereRecord) => ({
  base: start,
  record: { base: start, submodules },
  exempt: [],
});

export async function inspectHere(
  site: Site,
  here: Here,
  { path, base, standing }: InspectRequest,
): Promise<WorkEvidence> {
  const record = await recordHere(here, path);
  const head = await headOfGitDir(site, here.gitDir);
  const { tree, nested, stands } = await withScratch(site, [], async (scratch) => {
    const taken = await takeSnapshot(site, here, { ...seeded(record), scratch });
    const work = { base, tree: taken.tree, rootPrefix: site.rootPrefix };
    const look = async () => ({
      ...(await filesStanding(scratch.place, work)),
      commits: head === null ? [] : [...(await commitSubjects(scratch.place, base, head))],
    });
    return { ...taken, stands: standing && (await look()) };
  });
  await refuseTorn({ ...record, baseTree: record.handedTree }, tree);
  const boot = await currentBoot();
  if (record.boot !== boot || record.seen !== tree) await writeHere(here, { ...record, boot, seen: tree });
  const commits = head !== null && head !== base && !(await isIn(site, head, base));
  const known = commits && head !== null ? await treeOf(site, head) : record.startTree;
  const uncommitted = nested.length > 0 || tree !== known;
  return { uncommitted, commits, tree, ...(stands && { standing: stands }) };
}

/** What lay there before the attempt is the user's: the index was kept when it began. */
export async function collectHere(site: Site, here: Here, { path }: { readonly path: string }): Promise<LeftFiles> {
  const { start } = await recordHere(here, path);
  const { ctimeMs } = await stat(here.startIndex);
  return collectLeft(site, { work: here.work, base: start, since: ctimeMs });
}

export async function commitHere(site: Site, here: Here, { path, base, message }: CommitRequest): Promise<Candidate> {
  const record = await recordHere(here, path);
  await refuseAway(here, record);
  return withScratch(site, [], async (scratch) => {
    const { tree, nested } = await takeSnapshot(site, here, { ...seeded(record), scratch });
    await refuseTorn({ ...record, baseTree: record.handedTree }, tree);
    if (nested.length > 0) refuseNested(nested);
    await refuseMovedSubmodules(here.work, record.submodules);
    const tip = (await readHead(site.user, record.branch))?.commit ?? base;
    const candidate = await makeCandidate(site, scratch, { base, tree, message, onto: parentFor(record, tip) });
    await writeHere(here, { ...record, boot: await currentBoot(), candidate: { ...candidate, tree, tip } });
    return candidate;
  });
}

/**
 * What is on the branch when the work is handed in is the attempt's: the candidate stands for it, on the base. What
 * came later is somebody else's and stays: the candidate goes on top of it.
 */
function parentFor({ base, candidate }: HereRecord, tip: CommitId): CommitId {
  if (candidate === null) return base;
  return candidate.tip === tip ? candidate.parent : tip;
}

async function refuseAway(here: Here, { branch }: HereRecord): Promise<void> {
  const [now, operation] = [await branchHere(here), await operationHere(here)];
  if (now === branch && operation === null) return;
  refuse({
    kind: "task_exec",
    message:
      operation === null
        ? `the attempt began on ${branch} and left the checkout on ${now ?? "no branch"}`
        : `the attempt left a ${operation} open in the checkout`,
    remedy: "The work is rescued and the checkout put back as it was.",
  });
}

function refuseNested(nested: readonly string[]): never {
  return refuse({
    kind: "task_exec",
    message: `git repositories inside the checkout cannot be part of a candidate: ${shown(nested.map(shownPath))}`,
    remedy: "Remove their .git directories so that the files count as work, or ignore them.",
  });
}
