// Which task is to be claimed next, looked for among all of them.
import { compareRanks, naturalKey, type Rank } from "../../src/core/ready-heap.ts";
import type { State, TaskState } from "../../src/core/state.ts";

/** Rule K3 word by word, without an index. */
export function bestByTheRules(state: State): string | undefined {
  const held = new Set([...state.approvals.values()].map(({ task }) => task));
  const claimable = [...state.tasks.values()].filter(({ spec, phase }) => {
    const open = phase.status === "pending" || (phase.status === "failed" && !phase.final);
    const place = state.barrier?.indexOf(spec.phase ?? "") ?? -1;
    const before = state.barrier?.slice(0, Math.max(0, place)) ?? [];
    return (
      ![...state.tasks.values()].some(
        (other) => before.includes(other.spec.phase ?? "") && other.phase.status !== "completed",
      ) &&
      open &&
      !held.has(spec.id) &&
      spec.dependsOn.every((id) => state.tasks.get(id)?.phase.status === "completed")
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

/** Nothing is left but loops that used all of their iterations, and what went in circles. */
export function isOutOfIterations({ tasks, working }: State): boolean {
  const left = [...tasks.values()].filter(({ phase }) => phase.status !== "completed");
  const spent = ({ spec, failures }: TaskState) =>
    failures.at(-1)?.kind === "stuck" || (spec.loop !== undefined && failures.at(-1)?.kind === "iterations_used_up");
  return left.length > 0 && left.every(spent) && working.size === 0;
}
