// The counts of rule N3: each task once, and together they are the plan.
import type { Stats } from "../protocol/view.ts";
import type { ReadonlyState } from "./state.ts";

export const statsOf = (state: ReadonlyState): Stats => ({
  total: state.tasks.size,
  completed: state.counts.completed,
  failed: state.counts.failed,
  pending: state.counts.pending,
  blocked: state.counts.blocked,
  inProgress: state.working.size,
  attempts: state.counts.attempts,
  checkpoints: state.counts.checkpoints,
});
