// The tasks of the mission branch, as its own commits name them.
import type { CommitId, TaskId } from "../protocol/ids.ts";
import { gitText } from "./git.ts";
import { readReference, unclear } from "./reference.ts";
import type { Site } from "./site.ts";
import { startRefOf, startRefsOf } from "./user-repository.ts";

export interface TaskCommit {
  readonly task: TaskId;
  readonly commit: CommitId;
  readonly parent: CommitId;
  readonly message: string;
}

/** The commit by which any attempt of the task came into the mission branch: only commits after its start can be one. */
export async function mergedCommit(site: Site, task: TaskId, head: CommitId): Promise<CommitId | null> {
  const { commonDir, known } = site.user;
  const start = await readReference(commonDir, startRefOf(site.branch));
  if (known.log === null || known.log.head !== head || known.log.start !== start) {
    const tasks = new Map((await missionLog(site, head)).map((merged) => [merged.task, merged.commit]));
    if (start === unclear || start === null) return tasks.get(task) ?? null;
    known.log = { start, head, tasks };
  }
  return known.log.tasks.get(task) ?? null;
}

/** Oldest first. Merges that only brought the branch up to date name no task and are left out. */
export async function missionLog(site: Site, head: CommitId): Promise<readonly TaskCommit[]> {
  const listed = await gitText({ gitDir: site.user.commonDir }, [
    "rev-list",
    "--first-parent",
    "--reverse",
    "--encoding=UTF-8",
    "--no-commit-header",
    "--format=%H%x00%P%x00%B%x00%x00",
    "--fixed-strings",
    "--grep=Harness-Task: ",
    head,
    "--not",
    `--glob=${startRefsOf(site.branch)}`,
    "--",
  ]);
  return listed.split("\0\0").flatMap((entry) => {
    const [commit = "", parent = "", message = ""] = entry.trimStart().split("\0");
    const task = taskOf(site, message);
    return task === undefined ? [] : [{ task, commit, parent, message }];
  });
}

/** Whose work a commit is; undefined when it is none of this mission's. */
export function taskOf({ mission }: Pick<Site, "mission">, message: string): TaskId | undefined {
  const named = trailerOf(message, "Harness-Mission")[0];
  const isOurs = mission === undefined || named === undefined || named === mission;
  return isOurs ? trailerOf(message, "Harness-Task")[0] : undefined;
}

/** Values of a trailer: only whole lines of the last paragraph count. */
export function trailerOf(message: string, key: string): readonly string[] {
  const lines =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1)
      ?.split("\n") ?? [];
  return lines.flatMap((line) => (line.startsWith(`${key}: `) ? [line.slice(key.length + 2)] : []));
}
