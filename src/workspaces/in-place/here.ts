// The user's checkout as a workspace: where it is, and the record of how it was when an attempt began. The record is in
// the state home, written before anything in the checkout changes.
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { isMissing, kindOf, readText, syncDirectory, writeWhole } from "../../git/files.ts";
import { gitIn, refuseGit } from "../../git/git.ts";
import { refuse } from "../../git/refusal.ts";
import type { Site } from "../../git/site.ts";
import { type Slot, slotOf } from "../../git/slots/slot.ts";
import type { WorkTree } from "../../git/snapshot.ts";
import { CommitId, TaskId } from "../../protocol/ids.ts";

const HereRecord = z.object({
  v: z.literal(1),
  task: TaskId,
  attempt: z.number().int().nonnegative(),
  /** The branch that was checked out, and where it was. */
  branch: z.string(),
  base: CommitId,
  baseTree: z.string(),
  /** A commit on the base with all files as they were; its second parent holds what was staged. */
  start: CommitId,
  startTree: z.string(),
  /** With the work of an earlier attempt in it. */
  handedTree: z.string(),
  submodules: z.array(z.object({ path: z.string(), commit: CommitId })),
  /** Files of git's that stand for an open merge or the like, there from the start. */
  metadata: z.array(z.string()),
  /** The last candidate, the tree it was made from, and where the branch was then. */
  candidate: z.object({ tree: z.string(), commit: CommitId, parent: CommitId, tip: CommitId }).nullable(),
  boot: z.string(),
  seen: z.string().nullable(),
  /** Being rolled back: all that differs from the start is under that name. */
  rolling: z.object({ archive: z.string(), tree: z.string() }).nullable(),
});
export type HereRecord = z.infer<typeof HereRecord>;

export interface Here extends WorkTree {
  readonly slot: Slot;
  /** The top of the checkout is `work`; its state root is what is handed out. */
  readonly path: string;
  readonly gitDir: string;
  readonly record: string;
  /** The user's index as it was, byte by byte. */
  readonly startIndex: string;
}

export async function hereOf(site: Site): Promise<Here> {
  const args = ["rev-parse", "--path-format=absolute", "--show-toplevel"];
  const found = await gitIn(site.repository, args);
  if (found.code !== 0) refuseGit(args, found);
  const work = found.stdout.toString("utf8").replace(/\n$/, "");
  const slot = slotOf(site, 0);
  const name = join(slot.directory, "here");
  return {
    slot,
    work,
    path: join(work, site.rootPrefix),
    gitDir: site.user.gitDir,
    theirIndex: join(site.user.gitDir, "index"),
    index: `${name}.stamps.index`,
    settledIndex: `${name}.settled.index`,
    record: `${name}.json`,
    startIndex: `${name}.start.index`,
  };
}

export function refuseOtherPath(here: Here, path: string): void {
  if (path !== here.path) refuse({ kind: "env_setup", message: `${path} is not the checkout that is worked in` });
}

export async function readHere(here: Here): Promise<HereRecord | null> {
  const text = await readText(here.record, 16_000_000);
  if (text === null) return null;
  try {
    return HereRecord.parse(JSON.parse(text));
  } catch {
    // Unlike a slot of ours, the checkout cannot be put away when nobody knows how it was.
    return refuse({
      kind: "env_setup",
      message: `${here.record} cannot be read: how the checkout was before the attempt is not known`,
      remedy: `Look at the checkout with git status; when it is as you want it, remove ${here.record}.`,
    });
  }
}

export const writeHere = (here: Here, record: HereRecord): Promise<void> =>
  writeWhole(here.record, `${JSON.stringify(record)}\n`);

/** The record goes first: without it the rest is nothing. */
export async function forgetHere(here: Here): Promise<void> {
  for (const path of [here.record, here.index, here.settledIndex, here.startIndex])
    await unlink(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  await syncDirectory(here.slot.directory);
}

/** The branch that is checked out; null when the head is detached or cannot be read. */
export async function branchHere(here: Here): Promise<string | null> {
  const text = ((await readText(join(here.gitDir, "HEAD"), 4_096)) ?? "").trim();
  return text.startsWith("ref: refs/heads/") ? text.slice("ref: refs/heads/".length) : null;
}

/** What git leaves while something is under way that a commit, a continue or an abort ends. */
const metadataNames = [
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_MODE",
  "AUTO_MERGE",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "rebase-merge",
  "rebase-apply",
  "sequencer",
];
const underWay = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer"];

export async function metadataHere(here: Here): Promise<readonly string[]> {
  const kinds = await Promise.all(metadataNames.map((name) => kindOf(join(here.gitDir, name))));
  return metadataNames.filter((_, i) => kinds[i] !== "missing");
}

/** A merge, rebase or the like that is open, in a word; null when there is none. */
export async function operationHere(here: Here): Promise<string | null> {
  const found = (await metadataHere(here)).find((name) => underWay.includes(name));
  if (found === undefined) return null;
  return found.startsWith("rebase") ? "rebase" : found.replace("_HEAD", "").toLowerCase().replaceAll("_", "-");
}
