// What one commit changed, to be shown to a person.
import type { Outcome } from "../protocol/failure.ts";
import type { CommitId } from "../protocol/ids.ts";
import { gitInWithoutFilters, refuseGit } from "./git.ts";
import { answer } from "./refusal.ts";

export interface Changes {
  /** Files with how much of each, then the sum, as git counts them. */
  readonly counted: readonly string[];
  readonly diff: string;
}

const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames"];

/** Against its first parent. */
export const changesOf = (directory: string, commit: CommitId): Promise<Outcome<Changes>> =>
  answer(async () => {
    const shown = async (...args: readonly string[]): Promise<string> => {
      const all = ["diff-tree", "-r", "--no-commit-id", "-m", "--first-parent", ...plain, ...args, commit];
      const result = await gitInWithoutFilters(directory, all);
      return result.code === 0 ? result.stdout.toString("utf8") : refuseGit(all, result);
    };
    const counted = (await shown("--stat=100")).split("\n").map((line) => line.trim());
    return { counted: counted.filter((line) => line !== ""), diff: await shown("--patch") };
  });
