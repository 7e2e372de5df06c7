// Sets a checkout up once for the inputs it has: decides whether that is needed, and notes what came of it.
import { createHash } from "node:crypto";
import { currentBoot } from "../kit/process-identity.ts";
import type { Make, PrepareRequest } from "../workspaces/workspace.ts";
import { shown } from "./candidate.ts";
import { copyIndex, writeWhole } from "./files.ts";
import { type GitCall, gitBytes, gitPaths, shownPath } from "./git.ts";
import { noteMade, noteMaking, readMade } from "./made.ts";
import { refuse } from "./refusal.ts";
import { literally, type Site, withScratch } from "./site.ts";

/** A checkout of ours that is to be set up. */
export interface Preparing {
  readonly checkout: string;
  /** An index of exactly the files that are there. */
  readonly index: string;
  /** Does something to the checkout where nobody else finds it; in place if not given. */
  readonly outOfSight?: (act: (directory: string) => Promise<void>) => Promise<void>;
  /** Writes a file beside the checkout; refuses whoever was replaced. */
  readonly write?: (file: string, text: string) => Promise<void>;
  readonly forget: () => Promise<void>;
}

export async function prepareCheckout(
  site: Site,
  place: Preparing,
  request: PrepareRequest,
  make: Make | null,
): Promise<{ readonly made: boolean }> {
  const { checkout, write = writeWhole, outOfSight = (act) => act(checkout) } = place;
  const before = await readMade(checkout);
  if (make === null && before === null) return { made: false };
  return withScratch(site, [], async ({ place: { gitDir, indexFile } }) => {
    // A copy: what is run may use git, and git writes its index.
    await copyIndex(place.index, indexFile);
    const call = { gitDir, indexFile };
    const key = await keyOf(site, call, request);
    if (make !== null && before?.key === key && before.boot === (await currentBoot())) return { made: false };
    if (before !== null)
      await outOfSight(async (workTree) => void (await gitBytes({ ...call, workTree }, ["clean", "-q", "-ffdx"])));
    if (make === null) {
      await place.forget();
      return { made: false };
    }
    await noteMaking(checkout, write);
    const made = await make();
    if (!made.ok) return refuse(made.failure);
    await refuseChanged({ ...call, workTree: checkout });
    await noteMade(checkout, { key, roots: await untrackedIn({ ...call, workTree: checkout }) }, write);
    return { made: true };
  });
}

/** The ids of the input files stand for their bytes: the checkout is a clean one. */
async function keyOf(site: Site, call: GitCall, { inputs, salt }: PrepareRequest): Promise<string> {
  const top = site.rootPrefix === "" ? "" : `${literally(site.rootPrefix)}/`;
  const files =
    inputs.length === 0
      ? []
      : await gitPaths(call, [
          "ls-files",
          "-z",
          "--stage",
          "--",
          ...inputs.map((input) => `:(top,glob)${top}${input}`),
        ]);
  return createHash("sha256")
    .update(JSON.stringify([salt, inputs, files]))
    .digest("hex");
}

async function refuseChanged(call: GitCall): Promise<void> {
  const changed = await gitPaths(call, ["ls-files", "-z", "--modified", "--deduplicate"]);
  if (changed.length === 0) return;
  refuse({
    kind: "env_setup",
    message: `the set-up changed files that belong to the project: ${shown(changed.map(shownPath))}`,
    remedy: "use a command that leaves them as they are (npm ci, not npm install), or commit what it makes of them",
  });
}

const untrackedIn = async (call: GitCall): Promise<string[]> =>
  (await gitPaths(call, ["ls-files", "-z", "--others", "--directory"])).map((path) =>
    shownPath(path).replace(/\/$/, ""),
  );
