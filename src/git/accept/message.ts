// What our commits on the user's branch say: readable for people, with trailers by which they are recognised (V3).
import type { CommitId } from "../../protocol/ids.ts";
import { type TaskCommit, trailerOf } from "../mission-log.ts";

interface About {
  readonly mission: string;
  readonly branch: string;
  readonly head: CommitId;
  readonly tasks: readonly TaskCommit[];
}

export const mergeMessage = ({ mission, branch, head, tasks }: About): string =>
  `${subject(mission, tasks)}\n\nMerge of ${branch}.\n\n${list(tasks)}\n\n${trailers(mission, [head])}`;

export const squashMessage = ({ mission, tasks }: About): string =>
  `${subject(mission, tasks)}\n\n${list(tasks)}\n\n${trailers(
    mission,
    tasks.map(({ commit }) => commit),
  )}`;

/** The task's own message, trailers and all, and where it came from. */
export const pickMessage = (message: string, { mission, commit }: { mission: string; commit: CommitId }): string =>
  `${message.trimEnd()}\n${trailers(trailerOf(message, "Harness-Mission")[0] === mission ? null : mission, [commit])}`;

const subject = (mission: string, tasks: readonly TaskCommit[]): string =>
  tasks.length === 1 ? firstLine(tasks[0]?.message ?? "") : `Accept ${tasks.length} tasks of ${mission}`;

const list = (tasks: readonly TaskCommit[]): string => tasks.map(({ message }) => `- ${firstLine(message)}`).join("\n");

const firstLine = (message: string): string => message.split("\n", 1)[0] ?? "";

/** Without the mission where the message names it already. */
const trailers = (mission: string | null, accepted: readonly CommitId[]): string =>
  [
    ...(mission === null ? [] : [`Harness-Mission: ${mission}`]),
    ...accepted.map((commit) => `Harness-Accept: ${commit}`),
    "",
  ].join("\n");
