// Gives the user's checkout back as it was when the attempt began. Everything that differs is rescued first, and the
// rescue is read back; if it is not whole, nothing is changed. Each step can be repeated after a crash: the record that
// says how it was goes last.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { atWorkRefOf } from "../../git/at-work.ts";
import { treeOf } from "../../git/checkout.ts";
import { copyIndex, syncFile } from "../../git/files.ts";
import { attemptGit, git, gitBytes, gitPaths, refuseGit, shownPath } from "../../git/git.ts";
import { refuse } from "../../git/refusal.ts";
import { rescue } from "../../git/rescue/keep.ts";
import { isHarnessFile, type Scratch, type Site, withScratch } from "../../git/site.ts";
import { refuseReplaced } from "../../git/slots/slot.ts";
import { takeSnapshot } from "../../git/snapshot.ts";
import { takeOutSubmodules } from "../../git/submodules.ts";
import {
  baseRefOf,
  dropRef,
  hereRefOf,
  keepCommit,
  type MissionHead,
  moveBranch,
  readHead,
} from "../../git/user-repository.ts";
import { bring } from "./bring.ts";
import { branchHere, forgetHere, type Here, type HereRecord, metadataHere, writeHere } from "./here.ts";
import { freeIndex, replaceIndex } from "./users-index.ts";

export interface Leaving {
  readonly fence: number;
  readonly why: string;
}

/** Once for the work itself, once more for what only a changed .gitignore hid; anything beyond means others write there. */
const mostPasses = 4;

/** Answers the name of the rescue. */
export async function rollBack(site: Site, here: Here, began: HereRecord, leaving: Leaving): Promise<string> {
  const head = await readHead(site.user, began.branch);
  const tip = head?.commit ?? null;
  const record = head === null ? began : await ontoOthersCommits(site, here, began, head);
  refuseOthersCommits(record, tip);
  await freeIndex(here);
  let known = record;
  for (let pass = 0; ; pass += 1) {
    await refuseReplaced(here.slot, leaving.fence);
    const next = await restoreFiles(site, here, known, leaving);
    if (next === null) break;
    known = next;
    if (pass === mostPasses) refuseRestless(here);
  }
  if (tip !== null) await keepCommit(site.user, record.task, tip);
  for (const name of await metadataHere(here))
    if (!record.metadata.includes(name)) await rm(join(here.gitDir, name), { recursive: true, force: true });
  if (tip !== record.base && !(await moveBranch(site.user, record.branch, { from: tip, to: record.base })))
    refuseOthersCommits(record, null);
  await attach(here, record);
  await replaceIndex(here, here.startIndex);
  await forgetHere(here);
  await dropRef(site.user, atWorkRefOf(site, here.gitDir));
  for (const ref of [hereRefOf, baseRefOf]) await dropRef(site.user, ref(site, record.task, record.attempt));
  return known.rolling?.archive ?? "";
}

/** One pass: rescue, then write. Null when the files are as they were and a rescue is there. */
function restoreFiles(site: Site, here: Here, record: HereRecord, leaving: Leaving): Promise<HereRecord | null> {
  const { start, startTree, submodules, task, attempt } = record;
  return withScratch(site, [], async (scratch) => {
    const of = { base: start, record: { base: start, submodules }, scratch, exempt: [] };
    const { tree, nested } = await takeSnapshot(site, here, of);
    if (record.rolling !== null && tree === startTree && nested.length === 0) return null;
    const name = await rescue(site, {
      ...{ at: here, gitDir: here.gitDir, shared: true, base: start, indexIsOfBase: true, task, attempt },
      exempt: await staysAnyway(here, scratch, startTree),
      passesOver: isHarnessFile(site),
      why: leaving.why,
    });
    const next = { ...record, rolling: { archive: record.rolling?.archive ?? name, tree } };
    await writeHere(here, next);
    await refuseReplaced(here.slot, leaving.fence);
    for (const path of nested) await rm(join(here.work, shownPath(path)), { recursive: true, force: true });
    await bring(here, scratch, { from: tree, to: startTree });
    return next;
  });
}

/** Ignored files are left where they are, so they need no rescue – unless a file of the start has to come there. */
async function staysAnyway(here: Here, scratch: Scratch, startTree: string): Promise<readonly string[]> {
  const place = { ...scratch.place, workTree: here.work };
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const ignored = (await gitPaths(place, args)).map((path) => path.replace(/\/$/, ""));
  const files = await gitPaths(scratch.place, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", startTree]);
  const above = (path: string): string[] => path.split("/").map((_, i, parts) => parts.slice(0, i + 1).join("/"));
  const [taken, all] = [new Set(files.flatMap(above)), new Set(files)];
  return ignored.filter((path) => !taken.has(path) && !above(path).some((one) => all.has(one))).map(shownPath);
}

/** Without moving the branch that is checked out instead. */
async function attach(here: Here, record: HereRecord): Promise<void> {
  if ((await branchHere(here)) === record.branch) return;
  const args = ["symbolic-ref", "HEAD", `refs/heads/${record.branch}`];
  const set = await attemptGit({ gitDir: here.gitDir }, args);
  if (set.code !== 0) refuseGit(args, set);
}

/**
 * What others committed after the work was handed in stays, and the checkout is brought to it instead: as if the attempt
 * had begun there. Only if the user had nothing there that was not committed, for that belongs to the old commit.
 */
async function ontoOthersCommits(
  site: Site,
  here: Here,
  record: HereRecord,
  { commit: tip, tree }: MissionHead,
): Promise<HereRecord> {
  const { candidate, base, baseTree, start, startTree, handedTree, rolling } = record;
  if (candidate === null || tip === base || tip === candidate.tip || rolling !== null) return record;
  const staged = await treeOf(site, `${start}^2`);
  const isClean = startTree === baseTree && handedTree === baseTree && staged === baseTree;
  if (!isClean || !(await isIn(site, candidate.tip, tip)) || (await branchHere(here)) !== record.branch) return record;
  const submodules = await withScratch(site, [], async ({ place }) => {
    await gitBytes(place, ["read-tree", tip]);
    await copyIndex(place.indexFile, here.startIndex);
    await syncFile(here.startIndex);
    return takeOutSubmodules(place);
  });
  const there = { base: tip, baseTree: tree, start: tip, startTree: tree, handedTree: tree, submodules };
  const next = { ...record, ...there, candidate: { ...candidate, tip } };
  await writeHere(here, next);
  return next;
}

/** Up to the candidate the attempt was at work here; what came on the branch after it is somebody else's. */
function refuseOthersCommits({ branch, base, candidate }: HereRecord, tip: string | null): void {
  if (candidate === null || tip === base || tip === candidate.tip) return;
  refuse({
    kind: "env_setup",
    message: `${branch} was moved by somebody after the attempt had ended: it is not taken back`,
    remedy: `Nothing was changed. Put ${branch} back to ${candidate.tip} when those commits are safe, then run again.`,
  });
}

function refuseRestless(here: Here): never {
  return refuse({
    kind: "env_setup",
    message: `somebody goes on writing in ${here.work}: it could not be put back as it was`,
    remedy: "All that was there is rescued. End what writes there, then run again.",
  });
}

export const isIn = async (site: Site, commit: string, head: string): Promise<boolean> =>
  (await git({ gitDir: site.user.commonDir }, ["merge-base", "--is-ancestor", commit, head])).code === 0;
