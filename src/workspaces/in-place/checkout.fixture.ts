// For tests: the user's checkout, worked in; what was put away is restored to be looked at.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { restore } from "../../git/rescue/restore.ts";
import { listPutAway } from "../../git/rescue/shelf.ts";
import { makeRealGit, type RealGit, type RealGitOptions, readOrNull } from "../real-git.fixture.ts";
import { createInPlaceWorkspaces } from "./in-place-workspaces.ts";

export interface Checkout extends RealGit {
  /** A directory with what was put away under that name. */
  restored(name: string): Promise<string>;
  /** All names. */
  putAway(): Promise<readonly string[]>;
}

export async function makeCheckout(
  options: RealGitOptions & { readonly withChanges?: boolean } = {},
): Promise<Checkout> {
  const { withChanges = false } = options;
  const create: RealGitOptions["create"] = (site) => createInPlaceWorkspaces({ ...site, withChanges });
  const real = await makeRealGit({ ...options, create, branch: "main" });
  const restored = async (name: string): Promise<string> => {
    const target = join(real.directory, "restored", name);
    const of = listPutAway(real.home).find((one) => one.name === name);
    if (of === undefined) throw new Error(`nothing was put away as ${name}`);
    if (!existsSync(target)) await restore(real.home, of, target);
    return target;
  };
  return {
    ...real,
    restored,
    putAway: async () => listPutAway(real.home).map(({ name }) => name),
    read: async (path, file) => readOrNull(join(path.startsWith("/") ? path : await restored(path), file)),
    archives: async () => listPutAway(real.home).length,
  };
}
