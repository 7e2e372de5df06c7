// Facts about the way between the mission branch and the user's branch (G5).
import * as z from "zod";
import { Accepted } from "./effect.ts";
import { Failure } from "./failure.ts";
import { CommitId, TaskId } from "./ids.ts";

export const branchFacts = {
  /** The user's branch, up to `theirs`, was merged into the mission branch. */
  "branch.caughtUp": z.object({ theirs: CommitId, commit: CommitId }),
  /** It could not be, or what came of it did not pass: the mission goes on as it is until their branch moves. */
  "branch.stayed": z.object({ theirs: CommitId, failure: Failure }),
  /** Work of the mission branch is in a branch of the user's. */
  "work.accepted": Accepted.extend({ by: z.string().optional() }),
  /** Finished work was taken out of the mission branch, by one more commit. */
  "work.dropped": z.object({ task: TaskId, commit: CommitId, by: z.string().optional() }),
  /** It was to be brought there, and something is in the way; told once. */
  "work.held": z.object({ failure: Failure }),
} as const;
