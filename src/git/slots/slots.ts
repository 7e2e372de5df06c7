// Workspaces that are directories of ours, one per lane. Variants differ in how such a directory is made.
import { isAbsolute, normalize } from "node:path";
import type { Workspaces } from "../../workspaces/workspace.ts";
import { acceptWork } from "../accept/accept.ts";
import { catchUp, tryToMerge } from "../catch-up.ts";
import { dropWork } from "../drop.ts";
import { collectLeft } from "../left.ts";
import { mergeCandidate } from "../merge.ts";
import { openProof } from "../proof.ts";
import { answer } from "../refusal.ts";
import { openSite, type Site, type SiteOptions } from "../site.ts";
import { nextBase } from "../user-repository.ts";
import { archiveWorkspace, closeWorkspace } from "./close.ts";
import { commitWork } from "./commit-work.ts";
import { inspectWorkspace } from "./inspect.ts";
import { openWorkspace } from "./open.ts";
import type { PlaceKind } from "./place.ts";
import { prepareSlot } from "./prepare-slot.ts";
import { rebaseWorkspace } from "./rebase.ts";
import { slotAt } from "./slot.ts";

export function createSlots(options: SiteOptions, kind: PlaceKind): Workspaces {
  if (!safeBranch.test(options.branch)) throw new Error(`not a mission branch: ${options.branch}`);
  const found = siteOf(options);
  return {
    head: () =>
      answer(async () => {
        const { user, branch } = await found();
        return nextBase(user, branch);
      }),
    open: (request) => answer(async () => openWorkspace(await found(), request, kind)),
    inspect: (request) => answer(async () => inspectWorkspace(await found(), request)),
    collect: ({ path, base }) =>
      answer(async () => {
        const site = await found();
        return collectLeft(site, { work: slotAt(site, path).work, base });
      }),
    commit: (request) => answer(async () => commitWork(await found(), request)),
    rebase: (request) => answer(async () => rebaseWorkspace(await found(), request, kind)),
    proof: (request) => answer(async () => openProof(await found(), request)),
    prepare: (request, make) => answer(async () => prepareSlot(await found(), request, make)),
    merge: (request) => answer(async () => mergeCandidate(await found(), request)),
    archive: (request) => answer(async () => archiveWorkspace(await found(), request)),
    close: (request) => answer(async () => closeWorkspace(await found(), request)),
    trial: (request) => answer(async () => tryToMerge(await found(), request)),
    catchUp: (candidate) => answer(async () => catchUp(await found(), candidate)),
    accept: (request) => answer(async () => acceptWork(await found(), request)),
    drop: (request) => answer(async () => dropWork(await found(), request)),
  };
}

/** Found once. A failure is not kept: the user may have mended its cause. */
export function siteOf(options: SiteOptions): () => Promise<Site> {
  checkPlaces(options);
  const home = normalize(options.home).replace(/\/$/, "");
  let site: Promise<Site> | null = null;
  return () => {
    site ??= openSite({ ...options, home }).catch((error: unknown) => {
      site = null;
      throw error;
    });
    return site;
  };
}

const safeBranch = /^harness\/[A-Za-z0-9][A-Za-z0-9_-]*$/;
const safePrefix = (prefix: string): boolean =>
  prefix === "" || (prefix === normalize(prefix) && !/^\/|^\.\.?(\/|$)|\/$|\n/.test(prefix));

function checkPlaces({ rootPrefix, home }: SiteOptions): void {
  if (!safePrefix(rootPrefix)) throw new Error(`not a sub-directory: ${rootPrefix}`);
  if (!isAbsolute(home) || home.includes("\n")) throw new Error(`not an absolute directory: ${home}`);
}
