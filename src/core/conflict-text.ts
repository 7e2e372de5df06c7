// What people are told about a conflict: the files, and both sides (rule G5).
import type { OtherCommit } from "../protocol/conflict.ts";
import { type CommitId, shortCommit, type TaskId } from "../protocol/ids.ts";
import type { ReadonlyAttempt } from "./state.ts";

type Conflict = NonNullable<ReadonlyAttempt["conflict"]>;
type Files = Pick<Conflict, "files" | "fileCount">;

export function filesText({ files, fileCount }: Files, shown = 5): string {
  const names = files.slice(0, shown).map(({ path }) => path);
  const more = fileCount - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export const otherText = ({ commit, task, subject }: OtherCommit): string =>
  task === null || subject.startsWith(`${task}: `)
    ? `${subject} (${shortCommit(commit)})`
    : `${task}: ${subject} (${shortCommit(commit)})`;

/** With whom, as a list of tasks or commits. */
export function othersText({ others }: Pick<Conflict, "others">, shown = 5): string {
  const names = [...new Set(others.map(({ task, commit }) => task ?? shortCommit(commit)))];
  const more = names.length - shown;
  return names.length === 0 ? "others" : `${names.slice(0, shown).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What a person is asked when no repair is left. `trouble` names the files. */
export function conflictQuestion(
  task: TaskId,
  trouble: { readonly message: string; readonly evidence?: string | undefined },
  attempt: { readonly conflict: Conflict | null; readonly base: CommitId | null },
): string {
  const { conflict } = attempt;
  const theirs = trouble.evidence?.split("\n") ?? conflict?.others.map(otherText) ?? [];
  const [merged, more] = [theirs.slice(0, 5).join("; "), theirs.length - 5];
  const others = merged === "" ? "" : ` Merged meanwhile: ${merged}${more > 0 ? ` and ${more} more` : ""}.`;
  const own = conflict === null ? "" : ` Its own work: ${shortCommit(conflict.kept)}.`;
  const end = ` Approve: ${task} starts again from the new head. Deny: it is given up. Its work is kept either way.`;
  return `${trouble.message.slice(0, 1_000)}.${others.slice(0, 1_500)}${own}${end}`;
}

/** A name that nobody else asks under. */
export const conflictName = (task: TaskId, attempt: number, asked: { has(name: string): boolean }): string =>
  asked.has(`conflict-${task}`) ? `conflict-${task}-${attempt}` : `conflict-${task}`;
