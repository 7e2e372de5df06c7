// The git side of a slot's workspace, whichever way it was made: what its tie says, or a clone's own git directory.
import { join } from "node:path";
import { type AgentRefs, readAgentRefs } from "../agent-git.ts";
import type { Site } from "../site.ts";
import { readLinkedRefs } from "./linked-head.ts";
import type { Slot } from "./slot.ts";
import { adminOf, readTie, type Tie } from "./tie.ts";

export interface Ground {
  readonly tie: Tie | null;
  /** Where whoever works there has its index; only read. */
  readonly theirIndex: string;
  /** Object stores of its own, beyond the user's. */
  readonly objects: readonly string[];
  /** The branch it was handed out on. */
  readonly branch: string;
  refs(): Promise<AgentRefs>;
}

/** The branch an agent finds itself on. */
export const branchOf = (task: string): string => `harness/${task}`;

export async function groundOf(site: Site, slot: Slot, task: string): Promise<Ground> {
  const tie = await readTie(slot);
  if (tie !== null)
    return {
      tie,
      theirIndex: join(adminOf(site, tie), "index"),
      objects: [],
      branch: tie.branch,
      refs: () => readLinkedRefs(site, slot, tie),
    };
  const gitDir = join(slot.work, ".git");
  return {
    tie,
    theirIndex: join(gitDir, "index"),
    objects: [join(gitDir, "objects")],
    branch: branchOf(task),
    refs: () => readAgentRefs(gitDir),
  };
}
