// The proof: a clean checkout of exactly one commit. Gates run project code here, so what they leave is neither trusted
// nor kept: it is cleaned by our own git directory, checked, and rebuilt from nothing if anything is odd.
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../kit/make-folder.ts";
import type { CommitId } from "../protocol/ids.ts";
import type { ProofRequest } from "../workspaces/workspace.ts";
import { makeCheckout, makeGitDir, treeOf } from "./checkout.ts";
import { copyIndex, kindOf } from "./files.ts";
import { type GitCall, git, gitText } from "./git.ts";
import { refuse, surely } from "./refusal.ts";
import { rootIn } from "./root-in.ts";
import { type Scratch, type Site, withScratch } from "./site.ts";
import { listSubmodules } from "./submodules.ts";
import { discard } from "./trash.ts";

interface ProofPlace {
  readonly directory: string;
  readonly proof: string;
  readonly proofIndex: string;
}

function placeFor(site: Site, { slot, apart = null }: ProofRequest): ProofPlace {
  const directory = join(site.home, "lanes", String(slot));
  const proof = join(directory, apart === null ? "proof" : `proof-${apart}`);
  return { directory, proof, proofIndex: `${proof}.index` };
}

export async function openProof(site: Site, request: ProofRequest): Promise<{ readonly path: string }> {
  const slot = placeFor(site, request);
  await makeFolder(slot.directory, 0o700);
  const wanted = { commit: request.commit, tree: await treeOf(site, request.commit) };
  await withScratch(site, [], async (scratch) => {
    const { indexFile } = scratch.place;
    // Whatever is wrong with what was left, a checkout from nothing has none of it.
    const recycled = await surely(recycle(site, slot, { ...wanted, scratch }));
    if (!recycled) await rebuild(site, slot, { ...wanted, scratch });
    if (!recycled && !(await isExactly(wanted.tree, placeOf(site, slot, indexFile))))
      refuse({ kind: "env_setup", message: `a fresh checkout of ${request.commit} at ${slot.proof} differs from it` });
    await rename(indexFile, slot.proofIndex);
  });
  return { path: await rootIn(site, slot.proof) };
}

interface Wanted {
  readonly commit: CommitId;
  readonly tree: string;
  /** Its index is the proof's when all is done. */
  readonly scratch: Scratch;
}

const placeOf = (site: Site, slot: ProofPlace, indexFile: string): GitCall => ({
  gitDir: site.ledger,
  workTree: slot.proof,
  indexFile,
});

async function recycle(site: Site, slot: ProofPlace, { commit, tree, scratch }: Wanted): Promise<boolean> {
  // A link in place of the directory would lead the cleaning elsewhere.
  if ((await kindOf(slot.proof)) !== "directory" || (await kindOf(slot.proofIndex)) !== "file") return false;
  const { indexFile } = scratch.place;
  await copyIndex(slot.proofIndex, indexFile);
  const place = placeOf(site, slot, indexFile);
  // git does not clean inside a submodule's directory.
  if ((await listSubmodules(place)).length > 0) return false;
  await rm(join(slot.proof, ".git"), { recursive: true, force: true });
  if ((await git(place, ["clean", "-q", "-ffdx"])).code !== 0) return false;
  if ((await git(place, ["read-tree", "--reset", "-u", commit])).code !== 0) return false;
  if (!(await isExactly(tree, place))) return false;
  const gitDir = await makeGitDir(site, { directory: join(scratch.directory, "proof"), commit });
  await copyIndex(indexFile, join(gitDir, "index"));
  await rename(gitDir, join(slot.proof, ".git"));
  return true;
}

async function rebuild(site: Site, slot: ProofPlace, { commit, scratch }: Wanted): Promise<void> {
  await discard(site, slot.proof);
  const directory = join(scratch.directory, "fresh");
  await makeCheckout(site, { directory, commit });
  await copyIndex(join(directory, ".git", "index"), scratch.place.indexFile);
  await rename(directory, slot.proof);
}

/** The index is the commit's tree, the files are the index, and nothing else is there, ignored or not. */
async function isExactly(tree: string, place: GitCall): Promise<boolean> {
  const args = ["ls-files", "-z", "--others", "--modified", "--directory", "--no-empty-directory"];
  const odd = await git(place, args);
  return odd.code === 0 && odd.stdout.length === 0 && (await gitText(place, ["write-tree"])) === tree;
}
