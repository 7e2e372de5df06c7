// Makes a private clone: a repository of its own, which serves again after it was given back.
import { join } from "node:path";
import { makeCheckout } from "../checkout.ts";
import { branchOf } from "./ground.ts";
import type { Place, PlaceKind } from "./place.ts";

function placeIn(directory: string): Place {
  const gitDir = join(directory, ".git");
  return { gitDir, workTree: directory, indexFile: join(gitDir, "index"), objectsDir: join(gitDir, "objects") };
}

export const clones: PlaceKind = {
  async make(site, _slot, { directory, base, task }) {
    await makeCheckout(site, { directory, commit: base, branch: branchOf(task) });
    return placeIn(directory);
  },
  again: placeIn,
};
