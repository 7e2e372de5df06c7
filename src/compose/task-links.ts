// Links in the project to the workspaces of tasks that are worked on, for people and tools that look for them there.
// A link is ours if it leads into our home; anything else at that name is left alone.
import { lstat, readlink, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../kit/make-folder.ts";
import type { TaskId } from "../protocol/ids.ts";
import type { Workspaces } from "../workspaces/workspace.ts";

interface Places {
  readonly root: string;
  readonly home: string;
}

const folderIn = ({ root }: Places): string => join(root, ".harness", "worktrees");
const linkOf = (places: Places, task: TaskId): string => join(folderIn(places), task);

/** The same workspaces; a link that cannot be made or removed stops nothing. */
export function withLinks(workspaces: Workspaces, places: Places): Workspaces {
  const unlinked = <T>(work: Promise<T>, task: TaskId): Promise<T> =>
    work.then(async (done) => {
      await drop(places, task).catch(() => undefined);
      return done;
    });
  return {
    ...workspaces,
    async open(request) {
      const opened = await workspaces.open(request);
      if (opened.ok && !opened.value.merged) await show(places, request.task, opened.value.path).catch(() => undefined);
      return opened;
    },
    archive: (request) => unlinked(workspaces.archive(request), request.task),
    close: (request) => unlinked(workspaces.close(request), request.task),
  };
}

async function show(places: Places, task: TaskId, path: string): Promise<void> {
  const folder = folderIn(places);
  await makeFolder(folder);
  // A link in its place would lead elsewhere.
  if (!(await lstat(folder)).isDirectory()) return;
  await drop(places, task);
  await symlink(path, linkOf(places, task));
}

async function drop(places: Places, task: TaskId): Promise<void> {
  const target = await readlink(linkOf(places, task)).catch(() => null);
  if (target?.startsWith(`${places.home}/`)) await unlink(linkOf(places, task));
}
