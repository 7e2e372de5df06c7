// Which tasks a status shows when the plan is too long for all of them: those that want attention first.
import type { TaskLine } from "../../protocol/view.ts";

const pageSize = 50;
const urgency: readonly TaskLine["status"][] = ["in_progress", "failed", "blocked", "pending", "completed"];

/** In the order of the plan when all fit. A page of a page is the same page. */
export function statusPage(tasks: readonly TaskLine[]): readonly TaskLine[] {
  if (tasks.length <= pageSize) return tasks;
  const page: TaskLine[] = [];
  for (const status of urgency) {
    for (const task of tasks) {
      if (page.length === pageSize) return page;
      if (task.status === status) page.push(task);
    }
  }
  return page;
}
