// Where the state root is in a checkout of the repository.
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../kit/make-folder.ts";
import { refuse } from "./refusal.ts";
import type { Site } from "./site.ts";

/** The directory below a checkout that stands for the state root; never outside of it, whatever links the tree has. */
export async function rootIn(site: Site, checkout: string): Promise<string> {
  const path = join(checkout, site.rootPrefix);
  if (site.rootPrefix === "") return path;
  await makeFolder(path);
  const [real, top] = [await realpath(path), await realpath(checkout)];
  if (!real.startsWith(`${top}/`))
    refuse({
      kind: "env_setup",
      message: `${site.rootPrefix} leads out of the repository`,
      remedy: "Start in a real directory.",
    });
  return path;
}
