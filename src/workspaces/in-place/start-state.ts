// How the checkout is before an attempt begins in it: looked at, refused if it is not fit, and kept.
import { join } from "node:path";
import { atWorkRefOf, refuseOthersAtWork } from "../../git/at-work.ts";
import { mergeTrees, shown } from "../../git/candidate.ts";
import { uncommittedFiles } from "../../git/describe.ts";
import { copyIndex, kindOf, syncFile } from "../../git/files.ts";
import { git, gitPaths, gitText, shownPath } from "../../git/git.ts";
import { handOver } from "../../git/hand-over.ts";
import { answer, refuse } from "../../git/refusal.ts";
import { type Scratch, type Site, withScratch } from "../../git/site.ts";
import { takeSnapshot } from "../../git/snapshot.ts";
import { takeOutSubmodules } from "../../git/submodules.ts";
import { baseRefOf, dropRef, hereRefOf, type MissionHead, setRef } from "../../git/user-repository.ts";
import { currentBoot } from "../../kit/process-identity.ts";
import type { Candidate, OpenRequest } from "../workspace.ts";
import { bring } from "./bring.ts";
import { branchHere, type Here, type HereRecord, metadataHere, operationHere, writeHere } from "./here.ts";

export interface Beginning extends OpenRequest {
  readonly head: MissionHead;
  readonly withChanges: boolean;
}

/** Refuses what cannot be worked in and given back; records the rest; then puts in what an earlier attempt did. */
export async function begin(site: Site, here: Here, beginning: Beginning): Promise<void> {
  await refuseUnfit(site, here);
  const checkout = { top: here.work, gitDir: here.gitDir };
  await refuseOthersAtWork(site, checkout);
  const { task, attempt, head, withChanges, resume = null } = beginning;
  const { commit: base, tree: baseTree } = head;
  await withScratch(site, [], async (scratch) => {
    const { tree, nested } = await takeSnapshot(site, here, { base, record: null, scratch, exempt: [] });
    if (nested.length > 0) refuseNested(nested);
    const staged = await stagedHere(here, scratch);
    await refuseDirty(here, scratch, { base: baseTree, tree, staged, withChanges });
    await copyIndex(here.theirIndex, here.startIndex);
    await syncFile(here.startIndex);
    await copyIndex(scratch.place.indexFile, here.index);
    const submodules = await takeOutSubmodules({ gitDir: site.ledger, indexFile: here.index });
    const ref = hereRefOf(site, task, attempt);
    const start = await keepStart(site, scratch, { base, tree, staged, ref });
    await setRef(site.user, atWorkRefOf(site, here.gitDir), base);
    // Of two that come at once both see the other, or one does: whoever sees one gives way.
    const first = await answer(() => refuseOthersAtWork(site, checkout));
    if (!first.ok) {
      for (const each of [ref, atWorkRefOf(site, here.gitDir)]) await dropRef(site.user, each);
      refuse(first.failure);
    }
    await setRef(site.user, baseRefOf(site, task, attempt), base);
    const handedTree = resume === null ? tree : await wouldGoOn(site, scratch, resume, { start, tree });
    const record: HereRecord = {
      v: 1,
      ...{ task, attempt, branch: site.branch, base, baseTree, start, startTree: tree, handedTree, submodules },
      ...{ metadata: [...(await metadataHere(here))], boot: await currentBoot() },
      ...{ candidate: null, seen: null, rolling: null },
    };
    await writeHere(here, record);
    if (handedTree !== tree) await bring(here, scratch, { from: tree, to: handedTree });
  });
}

async function refuseUnfit(site: Site, here: Here): Promise<void> {
  const branch = await branchHere(here);
  if (branch !== site.branch)
    refuse({
      kind: "config",
      message: `the checkout ${here.work} is ${branch === null ? "on no branch" : `on ${branch}`}, and this mission works in it on ${site.branch}`,
      remedy: `git switch ${site.branch}`,
    });
  const operation = await operationHere(here);
  if (operation !== null)
    refuse({
      kind: "config",
      message: `a ${operation} is open in the checkout ${here.work}`,
      remedy: "Conclude it, or abort it, then run again.",
    });
  if ((await kindOf(here.theirIndex)) !== "file")
    refuse({ kind: "config", message: `${here.work} has no index`, remedy: "Run `git reset` there." });
}

function refuseNested(nested: readonly string[]): never {
  return refuse({
    kind: "config",
    message: `git repositories inside the checkout cannot be worked on in place: ${shown(nested.map(shownPath))}`,
    remedy: "Ignore them (.gitignore), or work in clones: --workspace clone, or claim without --here",
  });
}

/** The tree of what is staged. */
async function stagedHere(here: Here, scratch: Scratch): Promise<string> {
  const copy = join(scratch.directory, "staged");
  await copyIndex(here.theirIndex, copy);
  const written = await git({ ...scratch.place, indexFile: copy }, ["write-tree"]);
  if (written.code === 0) return written.stdout.toString("utf8").trim();
  return refuse({
    kind: "config",
    message: `the index of ${here.work} cannot be kept: ${written.stderr.split("\n", 1)[0] ?? ""}`.slice(0, 500),
    remedy: "Resolve what is unmerged, or work in clones: --workspace clone, or claim without --here",
  });
}

async function refuseDirty(
  here: Here,
  scratch: Scratch,
  of: { readonly base: string; readonly tree: string; readonly staged: string; readonly withChanges: boolean },
): Promise<void> {
  const against = async (tree: string): Promise<string[]> =>
    (await gitPaths(scratch.place, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", of.base, tree])).map(
      shownPath,
    );
  const [files, staged] = [await against(of.tree), await against(of.staged)];
  const listed = await uncommittedFiles(here.work);
  const seen = listed.ok ? listed.value : [];
  const isSeen = (file: string): boolean =>
    seen.some((path) => path === file || (path.endsWith("/") && file.startsWith(path)));
  const converted = files.filter((file) => !isSeen(file));
  if (converted.length > 0)
    refuse({
      kind: "config",
      message: `git converts files of ${here.work} when it checks them out (line endings, a filter, a sparse checkout): ${shown(converted)}`,
      remedy:
        "In place they would be committed as they lie there. Work in clones: --workspace clone, or claim without --here",
    });
  const dirty = [...new Set([...files, ...staged])];
  if (of.withChanges || dirty.length === 0) return;
  refuse({
    kind: "config",
    message: `the checkout ${here.work} has changes that are not committed: ${shown(dirty)}`,
    remedy: "Commit or stash them, or add --with-changes: they become part of the task's work then.",
  });
}

/** In the user's repository, so that nothing of it is collected as garbage while the attempt goes on. */
async function keepStart(
  site: Site,
  scratch: Scratch,
  { base, tree, staged, ref }: Readonly<Record<"base" | "tree" | "staged" | "ref", string>>,
): Promise<string> {
  const call = { ...scratch.place, identity: site.user.identity };
  const commit = (of: string, what: string, ...parents: readonly string[]): Promise<string> =>
    gitText({ ...call, input: `${what}\n` }, ["commit-tree", of, ...parents.flatMap((id) => ["-p", id]), "-F", "-"]);
  const index = await commit(staged, "what was staged", base);
  const start = await commit(tree, "the checkout as it was", base, index);
  await handOver(site, scratch, { commit: start, known: [base], name: () => setRef(site.user, ref, start) });
  return start;
}

/** The tree with what an earlier attempt did in it; the start's own if that does not apply any more. */
async function wouldGoOn(
  site: Site,
  scratch: Scratch,
  { commit, parent }: Candidate,
  { start, tree }: { readonly start: string; readonly tree: string },
): Promise<string> {
  const call = { ...scratch.place, identity: site.user.identity };
  const applied = await answer(() => mergeTrees(call, { base: parent, head: start, tree: `${commit}^{tree}` }));
  if (applied.ok) return applied.value;
  return applied.failure.kind === "merge_conflict" ? tree : refuse(applied.failure);
}
