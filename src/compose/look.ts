// Questions about a project that need no open mission.

import { join } from "node:path";
import type { Outcome } from "../protocol/failure.ts";
import type { CommitId } from "../protocol/ids.ts";
import type { Project } from "../runtime/project.ts";
import { journalFile } from "../runtime/project.ts";
import { openSqliteStore } from "../stores/index.ts";
import {
  type Changes,
  changesOf,
  type PushPlan,
  planPush,
  push,
  uncommittedFiles as uncommittedIn,
} from "../workspaces/index.ts";

export type { Changes, PushPlan };

export const changesIn = ({ root }: Project, commit: CommitId): Promise<Outcome<Changes>> => changesOf(root, commit);

/** How the mission branch would be pushed; nothing is pushed by asking. */
export const planPushOf = ({ root }: Project, branch: string): Promise<Outcome<PushPlan>> => planPush(root, branch);

/** Hands over to the user's own git, which they asked for. Answers its exit code. */
export const pushAs = ({ root }: Project, plan: PushPlan): Promise<number> => push(root, plan);

/** Files of the user's checkout that attempts do not see. */
export async function uncommittedFiles(project: Project): Promise<readonly string[]> {
  const listed = await uncommittedIn(project.root);
  // Listed from the top of the repository, which may be above.
  const isView = (path: string): boolean => views.some((name) => join(project.root, name).endsWith(`/${path}`));
  return listed.ok ? listed.value.filter((path) => !isView(path)) : [];
}
/** Written all the time, also where the user keeps them in the repository. */
const views = ["harness-tasks.json", "harness-tasks.json.bak", "harness-progress.txt", ".harness-active"];

/** The first position at which the journal's chain does not fit, or null. */
export async function verifyJournal(project: Project): Promise<number | null> {
  const store = await openSqliteStore({ path: journalFile(project), readOnly: true });
  try {
    return await store.verify();
  } finally {
    await store.close();
  }
}
