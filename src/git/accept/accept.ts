// Brings finished work of the mission branch into a branch of the user's. Never half: a crash leaves a record, and the
// next accept finishes what it says.

import type { CommitId, TaskId } from "../../protocol/ids.ts";
import type { Accepted, AcceptRequest } from "../../workspaces/branch-keeping.ts";
import { refuseOthersAtWork } from "../at-work.ts";
import { missionLog } from "../mission-log.ts";
import { refuse } from "../refusal.ts";
import { type Scratch, type Site, withScratch } from "../site.ts";
import { missionHead, syncRefs } from "../user-repository.ts";
import { changedFiles } from "./changed-files.ts";
import { refuseConversion } from "./conversion.ts";
import { clearLocks, type Move, moveBranch, moveLocked } from "./move.ts";
import { endMove, lockIndex, type MoveRecord, takeOverMove, unlockIndex } from "./move-record.ts";
import { isAncestor, planAccept, waitingWork } from "./plan.ts";
import { takeBack } from "./take-back.ts";
import { findTarget, readBranch, type Target } from "./target.ts";

/** Somebody may commit again and again; whoever asks may, too. */
const tries = 5;

export async function acceptWork(site: Site, request: AcceptRequest): Promise<Accepted> {
  const finished = await finishEarlier(site);
  for (let attempt = 0; attempt < tries; attempt++) {
    const accepted = await acceptOnce(site, request, finished);
    if (accepted !== null) return accepted;
  }
  return refuse({
    kind: "usage",
    message: "your branch moved again and again while the work was put together",
    remedy: "wait until nobody commits, then: harness accept",
  });
}

/** Null when the branch moved meanwhile. */
async function acceptOnce(site: Site, request: AcceptRequest, finished: MoveRecord | null): Promise<Accepted | null> {
  const { commit: head } = await missionHead(site.user, site.branch);
  const target = await findTarget(site, request);
  const { tasks: all, since } = await waitingWork(site, head, target);
  const waiting = all.filter(({ task }) => request.tasks === null || request.tasks.includes(task));
  const earlier = finished?.ref === target.ref ? finished : null;
  const { branch } = target;
  if (waiting.length === 0) {
    if (earlier === null)
      return { how: "present", branch, commit: target.head, tasks: await wanted(site, request, head) };
    return { how: earlier.how, branch, commit: target.head, tasks: earlier.tasks };
  }
  // What moves under an agent would count as its work.
  if (target.checkout !== null) await refuseOthersAtWork(site, target.checkout);
  return withScratch(site, [], async (scratch) => {
    const plan = await planAccept(site, scratch, request, { head, target, waiting, since });
    const tasks = plan.tasks.map(({ task }) => task);
    const moved = await move(site, scratch, target, { ...plan, tasks });
    return moved ? { how: plan.how, branch, commit: plan.to, tasks: [...(earlier?.tasks ?? []), ...tasks] } : null;
  });
}

async function move(site: Site, scratch: Scratch, target: Target, plan: Omit<Move, "target">): Promise<boolean> {
  const changes = await changedFiles(site, target.head, plan.to);
  const merged = plan.how !== "fast-forward";
  await refuseConversion(site, scratch, { target, to: plan.to, changes, merged });
  return moveBranch(site, { target, ...plan });
}

/** All of the mission branch that was asked for: it is in the user's branch already. */
async function wanted(site: Site, { tasks }: AcceptRequest, head: CommitId): Promise<readonly TaskId[]> {
  const log = await missionLog(site, head);
  return log.map(({ task }) => task).filter((task) => tasks === null || tasks.includes(task));
}

/** What an accept left that was cut short: finished, or taken back if the user went on since. Null if there was none. */
async function finishEarlier(site: Site): Promise<MoveRecord | null> {
  const record = await takeOverMove(site);
  if (record === null) return null;
  const now = await readBranch(site, record.ref);
  await clearLocks(site, { ...record, gitDir: record.checkout.gitDir });
  if (now === record.from) {
    await lockIndex(record);
    try {
      await withScratch(site, [], (scratch) => takeBack(site, scratch, record));
    } catch (error) {
      // The user's git must not be locked out while they put it right.
      await unlockIndex(record);
      throw error;
    }
    if (await moveLocked(site, record)) return record;
    return null;
  }
  // It moved, and whoever moved it may have ended before that was on the disk.
  if (now !== null) await syncRefs(site.user, [record.ref]);
  await unlockIndex(record);
  await endMove(site);
  const isIn = now !== null && (now === record.to || (await isAncestor(site, record.to, now)));
  return isIn ? record : null;
}
