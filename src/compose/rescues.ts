// What was put away before a rollback, for surfaces.
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import { nearest } from "../runtime/config/nearest.ts";
import type { Project } from "../runtime/project.ts";
import {
  dropPutAway,
  filesOf,
  type PutAway,
  putAwayIn,
  type Restored,
  restorePutAway,
  type ShownFile,
} from "../workspaces/index.ts";

export type { PutAway, ShownFile };

/** Newest first. */
export const listRescues = ({ home }: Project): Promise<Outcome<readonly PutAway[]>> => putAwayIn(home);

export async function findRescue(project: Project, name: string): Promise<Outcome<PutAway>> {
  const listed = await listRescues(project);
  if (!listed.ok) return listed;
  const found = listed.value.find((one) => one.name === name);
  if (found !== undefined) return succeeded(found);
  const near = nearest(
    name,
    listed.value.map((one) => one.name),
  );
  return failed({
    kind: "usage",
    message: `nothing was put away as "${name}"${near === null ? "" : `; did you mean "${near}"?`}`,
    remedy: "harness rescue list shows them all",
  });
}

export const rescuedFiles = ({ home }: Project, of: PutAway): Promise<Outcome<readonly ShownFile[] | null>> =>
  filesOf(home, of);

export const restoreRescue = ({ root, home }: Project, of: PutAway, directory: string): Promise<Outcome<Restored>> =>
  restorePutAway(home, of, directory, root);

export const dropRescue = ({ root, home }: Project, of: PutAway): Promise<Outcome<null>> => dropPutAway(root, home, of);

const dayMs = 86_400_000;

export interface Expiry {
  readonly keepDays: number;
  readonly now: number;
  isCompleted(task: string): boolean;
}

/** Old enough to go. The newest of a task that is not completed never is: somebody may still want to look at it. */
export function expiredAmong(all: readonly PutAway[], { keepDays, now, isCompleted }: Expiry): readonly PutAway[] {
  const newest = new Map<string, PutAway>();
  for (const one of all) {
    const known = newest.get(one.task);
    if (known === undefined || one.at > known.at) newest.set(one.task, one);
  }
  return all.filter(
    (one) => one.at < now - keepDays * dayMs && (isCompleted(one.task) || newest.get(one.task) !== one),
  );
}
