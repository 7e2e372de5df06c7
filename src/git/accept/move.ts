// Moves a branch of the user's: by compare-and-swap, and where it is checked out together with index and files.
//
// Record → lock of the index → files → index → branch → unlock → record away. Before the branch moves, everything can be
// taken back, because every byte that is replaced is in a commit; after it, only the lock and the record are left.
import { dirname, join } from "node:path";
import type { CommitId } from "../../protocol/ids.ts";
import { copyIndex, isMissing, readText, syncDirectory, syncPath } from "../files.ts";
import { git, gitText, shownPath } from "../git.ts";
import { refuse } from "../refusal.ts";
import { type Scratch, type Site, withScratch } from "../site.ts";
import { removeIfStale } from "../stale-lock.ts";
import { syncRefs, updateRefs } from "../user-repository.ts";
import { type ChangedFile, changedFiles } from "./changed-files.ts";
import { beginMove, endMove, lockIndex, type MoveRecord, unlockIndex } from "./move-record.ts";
import { refuseObstacles } from "./obstacles.ts";
import { putIndex } from "./put-index.ts";
import { takeBack } from "./take-back.ts";
import { readBranch, type Target } from "./target.ts";

export interface Move extends Pick<MoveRecord, "to" | "how" | "tasks"> {
  readonly target: Target;
}

/** False when the branch moved meanwhile: nothing of the user's was changed then. */
export async function moveBranch(site: Site, { target, ...move }: Move): Promise<boolean> {
  const { branch, ref, head: from, checkout } = target;
  if (checkout === null) return swap(site, { ref, from, to: move.to, gitDir: site.user.commonDir });
  // Looked at before the lock is taken, too: the user's git is not kept waiting for a no.
  const changes = await changedFiles(site, from, move.to);
  await refuseObstacles(site, { branch, checkout, changes });
  const record = await beginMove(site, { branch, ref, from, checkout, ...move });
  await lockIndex(record).catch(async (error: unknown) => {
    await endMove(site);
    throw error;
  });
  return moveLocked(site, record);
}

/** The part that a crash may cut short anywhere; the lock is ours, and given back. */
export async function moveLocked(site: Site, record: MoveRecord): Promise<boolean> {
  let moved = false;
  try {
    moved = await withScratch(site, [], (scratch) => moveAll(site, scratch, record));
  } finally {
    // What could not be taken back is left with its record, for the next one to do.
    await unlockIndex(record);
  }
  await endMove(site);
  return moved;
}

async function moveAll(site: Site, scratch: Scratch, record: MoveRecord): Promise<boolean> {
  const { from, to, ref, branch, checkout } = record;
  if (!(await isStill(site, record))) return false;
  const changes = await changedFiles(site, from, to);
  try {
    await refuseObstacles(site, { branch, checkout, changes });
  } catch (error) {
    await endMove(site);
    throw error;
  }
  const place = { gitDir: site.ledger, workTree: checkout.top, indexFile: scratch.place.indexFile };
  await copyIndex(join(checkout.gitDir, "index"), place.indexFile);
  // Stamps that went stale by themselves (a copied folder) would look like changes.
  await git(place, ["update-index", "-q", "--refresh"]);
  try {
    const written = await git(place, ["read-tree", "-m", "-u", from, to]);
    if (written.code !== 0) refuseWritten(record, written.stderr);
    await syncChanged(checkout.top, changes);
    await putIndex(scratch, record);
    if (await swap(site, { ref, from, to, gitDir: checkout.gitDir })) return true;
  } catch (error) {
    // It moved and could not be synced: files and index are its own by now, and the record is for the next one to end.
    if ((await readBranch(site, ref)) === to) throw error;
    await takeBack(site, scratch, record);
    await endMove(site);
    throw error;
  }
  await takeBack(site, scratch, record);
  return false;
}

/** Neither the branch nor what is checked out there changed since it was decided. */
async function isStill(site: Site, { ref, from, checkout }: MoveRecord): Promise<boolean> {
  const head = await git({ gitDir: checkout.gitDir }, ["symbolic-ref", "--quiet", "HEAD"]);
  return head.stdout.toString("utf8").trim() === ref && (await readBranch(site, ref)) === from;
}

function refuseWritten({ branch, checkout }: MoveRecord, said: string): never {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  return refuse({
    kind: "usage",
    message: `${branch} stays as it is: git would not write its checkout ${checkout.top}: ${lines.join(" ").slice(0, 2_000)}`,
    remedy: "see to these files, then: harness accept",
  });
}

async function syncChanged(top: string, changes: readonly ChangedFile[]): Promise<void> {
  const folders = new Set<string>();
  for (const { path, after } of changes) {
    const place = join(top, shownPath(path));
    folders.add(dirname(place));
    // Links and submodules are synced with their folder. Names that are no UTF-8 are left to the system.
    if (after?.mode.startsWith("100")) await syncPath(place, 0).catch(unlessMissing);
  }
  for (const folder of folders) await syncDirectory(folder).catch(unlessMissing);
}

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

interface Swap {
  readonly ref: string;
  readonly from: CommitId;
  readonly to: CommitId;
  readonly gitDir: string;
}

/** Of the two references that move together: the branch, and HEAD where it is checked out. True when one went. */
export async function clearLocks(site: Site, { ref, to, gitDir }: Omit<Swap, "from">): Promise<boolean> {
  const { commonDir } = site.user;
  let cleared = false;
  for (const [lock, ours] of [
    [join(commonDir, `${ref}.lock`), to],
    [join(gitDir, "HEAD.lock"), ""],
  ] as const) {
    const text = await readText(lock, 1_000);
    // A lock that says anything else is another's.
    if (text === null || !["", ours].includes(text.trim())) continue;
    if (await removeIfStale(lock, commonDir)) cleared = true;
  }
  return cleared;
}

async function swap(site: Site, { ref, from, to, gitDir }: Swap): Promise<boolean> {
  const reason = `harness accept: from ${site.branch}`;
  const change = () => updateRefs(site.user, [`update ${ref} ${to} ${from}`], { gitDir, reason });
  let moved = await change();
  // It was killed, or an earlier one was: what it left would lock the user's git out of the branch, and us.
  if (moved.code !== 0 && (await clearLocks(site, { ref, to, gitDir }))) moved = await change();
  if (moved.code === 0) return true;
  // A git that was killed may have done it all the same; whatever else it says, the branch is the answer.
  const now = await gitText({ gitDir: site.user.commonDir }, ["rev-parse", "--verify", "--end-of-options", ref]);
  if (now === from)
    refuse({ kind: "env_setup", message: `git could not move ${ref}: ${moved.stderr.split("\n", 1)[0] ?? ""}` });
  if (now !== to) return false;
  // Whoever moved it did not live to sync it.
  await syncRefs(site.user, [ref]);
  return true;
}
