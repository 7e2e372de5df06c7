// Workspaces as private clones: what an agent does to git in one never reaches the user's repository.
import { isAbsolute, normalize } from "node:path";
import { acceptWork } from "../../git/accept/accept.ts";
import { catchUp, tryToMerge } from "../../git/catch-up.ts";
import { mergeCandidate } from "../../git/merge.ts";
import { openProof } from "../../git/proof.ts";
import { answer } from "../../git/refusal.ts";
import { openSite, type Site, type SiteOptions } from "../../git/site.ts";
import { archiveWorkspace, closeWorkspace } from "../../git/slots/close.ts";
import { commitWork } from "../../git/slots/commit-work.ts";
import { inspectWorkspace } from "../../git/slots/inspect.ts";
import { openWorkspace } from "../../git/slots/open.ts";
import { prepareSlot } from "../../git/slots/prepare-slot.ts";
import { rebaseWorkspace } from "../../git/slots/rebase.ts";
import type { Workspaces } from "../workspace.ts";

export type CloneOptions = SiteOptions;

export function createCloneWorkspaces(options: CloneOptions): Workspaces {
  checkOptions(options);
  const home = normalize(options.home).replace(/\/$/, "");
  let site: Promise<Site> | null = null;
  // Found once. A failure is not kept: the user may have mended its cause.
  const found = (): Promise<Site> => {
    site ??= openSite({ ...options, home }).catch((error: unknown) => {
      site = null;
      throw error;
    });
    return site;
  };
  return {
    open: (request) => answer(async () => openWorkspace(await found(), request)),
    inspect: (request) => answer(async () => inspectWorkspace(await found(), request)),
    commit: (request) => answer(async () => commitWork(await found(), request)),
    rebase: (request) => answer(async () => rebaseWorkspace(await found(), request)),
    proof: (request) => answer(async () => openProof(await found(), request)),
    prepare: (request, make) => answer(async () => prepareSlot(await found(), request, make)),
    merge: (request) => answer(async () => mergeCandidate(await found(), request)),
    archive: (request) => answer(async () => archiveWorkspace(await found(), request)),
    close: (request) => answer(async () => closeWorkspace(await found(), request)),
    trial: (request) => answer(async () => tryToMerge(await found(), request)),
    catchUp: (candidate) => answer(async () => catchUp(await found(), candidate)),
    accept: (request) => answer(async () => acceptWork(await found(), request)),
  };
}

const safeBranch = /^harness\/[A-Za-z0-9][A-Za-z0-9_-]*$/;
const safePrefix = (prefix: string): boolean =>
  prefix === "" || (prefix === normalize(prefix) && !/^\/|^\.\.?(\/|$)|\/$|\n/.test(prefix));

function checkOptions({ branch, rootPrefix, home }: CloneOptions): void {
  if (!safeBranch.test(branch)) throw new Error(`not a mission branch: ${branch}`);
  if (!safePrefix(rootPrefix)) throw new Error(`not a sub-directory: ${rootPrefix}`);
  if (!isAbsolute(home) || home.includes("\n")) throw new Error(`not an absolute directory: ${home}`);
}
