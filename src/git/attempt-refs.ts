// References of attempts: what is let go when an attempt needs it no longer. Other missions of the repository have
// candidates for tasks of the same names; those stay.
import type { CommitId, TaskId } from "../protocol/ids.ts";
import { git } from "./git.ts";
import { namesBelow, unclear } from "./reference.ts";
import type { Site } from "./site.ts";
import { baseRefOf, candidateRefOf, candidateRefs, dropRef, updateRefs } from "./user-repository.ts";

/** Lets candidates of a task go that nothing will ask for again. */
export async function dropCandidates(site: Site, task: TaskId, keep: CommitId | null): Promise<void> {
  const commits = await candidatesOf(site, task);
  const dropped = commits.filter((commit) => commit !== keep).map((commit) => `delete ${candidateRefOf(commit)}`);
  // A reference too many does no harm: whatever failed, the end of the next attempt finds it again.
  if (dropped.length > 0) await updateRefs(site.user, dropped);
}

/** What an attempt left among the references when nothing of it is needed any more. */
export async function dropAttempt(site: Site, task: TaskId, attempt: number): Promise<void> {
  const base = baseRefOf(site, task, attempt);
  const refs = [base, ...(await candidatesOf(site, task)).map(candidateRefOf)];
  const dropped = await updateRefs(
    site.user,
    refs.map((ref) => `delete ${ref}`),
  );
  if (dropped.code !== 0) await dropRef(site.user, base);
}

async function candidatesOf({ user, mission }: Site, task: TaskId): Promise<readonly CommitId[]> {
  const { commonDir, known } = user;
  const names = await namesBelow(commonDir, candidateRefs);
  if (names !== unclear && names.every((name) => known.candidates.has(name)))
    return names.filter((name) => known.candidates.get(name) === task);
  const [ofTask, ofMission] = ["Harness-Task", "Harness-Mission"].map(
    (key) => `%(contents:trailers:key=${key},valueonly,separator=%2C)`,
  );
  const format = `--format=%(objectname) ${ofTask} ${ofMission}`;
  const listed = await git({ gitDir: commonDir }, ["for-each-ref", format, candidateRefs]);
  return listed.stdout
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [commit = "", named, by = ""] = line.split(" ");
      return named === task && (mission === undefined || by === "" || by === mission) ? [commit] : [];
    });
}
