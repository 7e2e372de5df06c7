// Questions about a project that need no open mission.
import type { Project } from "../runtime/project.ts";
import { journalFile } from "../runtime/project.ts";
import { openSqliteStore } from "../stores/index.ts";
import { uncommittedFiles as uncommittedIn } from "../workspaces/index.ts";

/** Files of the user's checkout that attempts do not see. */
export async function uncommittedFiles(project: Project): Promise<readonly string[]> {
  const listed = await uncommittedIn(project.root);
  return listed.ok ? listed.value : [];
}

/** The first position at which the journal's chain does not fit, or null. */
export async function verifyJournal(project: Project): Promise<number | null> {
  const store = await openSqliteStore({ path: journalFile(project), readOnly: true });
  try {
    return await store.verify();
  } finally {
    await store.close();
  }
}
