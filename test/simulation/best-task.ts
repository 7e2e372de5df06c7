// Which task is to be claimed next, looked for among all of them.
import { compareRanks, naturalKey, type Rank } from "../../src/core/ready-heap.ts";
import type { State, TaskState } from "../../src/core/state.ts";

/** Rule K3 word by word, without an index. */
export function bestByTheRules(state: State): string | undefined {
  const held = new Set([...state.approvals.values()].map(({ task }) => task));
  const claimable = [...state.tasks.values()].filter(({ spec, phase }) => {
    const open = phase.status === "pending" || (phase.status === "failed" && !phase.final);
    return (
      open && !held.has(spec.id) && spec.dependsOn.every((id) => state.tasks.get(id)?.phase.status === "completed")
    );
  });
  const rank = ({ spec, phase }: TaskState): Rank => ({
    retry: phase.status === "failed" ? 1 : 0,
    priority: spec.priority,
    failedAt: phase.status === "failed" ? phase.at : 0,
    key: naturalKey(spec.id),
  });
  return claimable.sort((a, b) => compareRanks(rank(a), rank(b)))[0]?.spec.id;
}
