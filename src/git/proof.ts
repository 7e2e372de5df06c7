// The proof: a clean checkout of exactly one commit. Gates run project code here, so what they leave is neither trusted
// nor kept: it is cleaned by our own git directory, checked, and rebuilt from nothing if anything is odd.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../kit/make-folder.ts";
import type { CommitId } from "../protocol/ids.ts";
import type { ProofRequest } from "../workspaces/workspace.ts";
import { makeCheckout } from "./checkout.ts";
import { copyIndex } from "./files.ts";
import { forgetMade, isStillMade, madePathsIn } from "./made.ts";
import type { Preparing } from "./prepare.ts";
import { lookAt, recycle } from "./recycle.ts";
import { refuse, surely } from "./refusal.ts";
import { rootIn } from "./root-in.ts";
import { type Scratch, type Site, withScratch } from "./site.ts";
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

/** The proof that was answered as `path`; null when it is none. */
export function proofAt(site: Site, path: string): Preparing | null {
  const lanes = join(site.home, "lanes");
  const [, checkout] =
    /^(\/\d+\/proof(?:-\d+)?)(?:\/|$)/.exec(path.startsWith(lanes) ? path.slice(lanes.length) : "") ?? [];
  if (checkout === undefined || join(lanes, checkout, site.rootPrefix) !== path) return null;
  const proof = join(lanes, checkout);
  return { checkout: proof, index: `${proof}.index`, forget: async () => forgetMade(proof) };
}

export async function openProof(
  site: Site,
  request: ProofRequest,
): Promise<{ readonly path: string; readonly made: readonly string[] }> {
  const slot = placeFor(site, request);
  await makeFolder(slot.directory, 0o700);
  const { commit } = request;
  // Whoever worked here could change what a set-up made: then it is made anew.
  if (!(await surely(isStillMade(slot.proof)))) forgetMade(slot.proof);
  const kept = await madePathsIn(slot.proof);
  await withScratch(site, [], async (scratch) => {
    const { indexFile } = scratch.place;
    const wanted = { directory: slot.proof, index: slot.proofIndex, commit, kept, compare: true, scratch };
    // Whatever is wrong with what was left, a checkout from nothing has none of it.
    if (!(await surely(recycle(site, wanted)))) {
      await rebuild(site, slot, { commit, scratch });
      if (
        (await lookAt(
          { gitDir: site.ledger, workTree: slot.proof, indexFile },
          { kept: [], compare: true, listed: true },
        )) === "odd"
      )
        refuse({ kind: "env_setup", message: `a fresh checkout of ${commit} at ${slot.proof} differs from it` });
    }
    await rename(indexFile, slot.proofIndex);
  });
  const made = (await madePathsIn(slot.proof)).map((root) => join(slot.proof, root));
  return { path: await rootIn(site, slot.proof), made };
}

async function rebuild(
  site: Site,
  slot: ProofPlace,
  { commit, scratch }: { readonly commit: CommitId; readonly scratch: Scratch },
): Promise<void> {
  forgetMade(slot.proof);
  await discard(site, slot.proof);
  const directory = join(scratch.directory, "fresh");
  await makeCheckout(site, { directory, commit });
  await copyIndex(join(directory, ".git", "index"), scratch.place.indexFile);
  await rename(directory, slot.proof);
}
