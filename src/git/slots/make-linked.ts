// Makes a linked work tree by plain files: `git worktree add` would run hooks and filters of the repository.
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namingFile } from "../../kit/file-error.ts";
import { makeFolder } from "../../kit/make-folder.ts";
import type { CommitId } from "../../protocol/ids.ts";
import { kindOf } from "../files.ts";
import { gitBytes } from "../git.ts";
import { refuse } from "../refusal.ts";
import type { Site } from "../site.ts";
import { takeBranch } from "../user-repository.ts";
import { branchOf } from "./ground.ts";
import type { Place, PlaceKind, PlaceOrder } from "./place.ts";
import type { Slot } from "./slot.ts";
import { adminOf, backLinkText, linkText, type Tie, writeTie } from "./tie.ts";

export const linkedWorkTrees: PlaceKind = { make: makeLinked, again: null };

async function makeLinked(site: Site, slot: Slot, { directory, base, task, fence }: PlaceOrder): Promise<Place> {
  await refuseOtherRefs(site);
  const branch = await findBranch(site, task, base);
  const name = `harness-${slot.number}-${randomBytes(6).toString("hex")}`;
  const tie: Tie = { v: 1, admin: name, branch, base, task, moving: null, removing: null };
  await writeTie(site, slot, fence, tie);
  const admin = adminOf(site, tie);
  await makeFolder(admin);
  await write(join(admin, "commondir"), "../..\n");
  await write(join(admin, "gitdir"), backLinkText(slot.work));
  await write(join(admin, "HEAD"), `ref: refs/heads/${branch}\n`);
  await makeFolder(directory);
  await write(join(directory, ".git"), linkText(admin));
  // Through the ledger: the attributes and filters of the repository's configuration are not asked. New objects of a
  // later merge go where the agent's git will look for them.
  const { objectsDir } = site.user;
  const place = { gitDir: site.ledger, workTree: directory, indexFile: join(admin, "index"), objectsDir };
  await gitBytes(place, ["read-tree", "--reset", "-u", base]);
  return place;
}

/** `harness/<task>`, or with a number if that is somebody else's or checked out. */
async function findBranch(site: Site, task: string, commit: CommitId): Promise<string> {
  for (let n = 1; n < 100; n += 1) {
    // No task's name has a dot.
    const branch = n === 1 ? branchOf(task) : `${branchOf(task)}.${n}`;
    if (await takeBranch(site.user, branch, { task, commit })) return branch;
  }
  return refuse({
    kind: "env_setup",
    message: `no branch ${branchOf(task)} can be made: it and its numbered names are taken or cannot be written`,
    remedy: "Look at `git branch --list 'harness/*'`, or work in clones: --workspace clone",
  });
}

async function refuseOtherRefs({ user }: Site): Promise<void> {
  if ((await kindOf(join(user.commonDir, "reftable"))) === "missing") return;
  refuse({
    kind: "env_setup",
    message: `${user.commonDir} keeps its references in a reftable: linked work trees of it are not made`,
    remedy: "Work in clones: --workspace clone",
  });
}

const write = (path: string, text: string): Promise<void> => writeFile(path, text).catch(namingFile(path));
