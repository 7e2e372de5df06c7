// What is worth telling a person who is not looking (rule C3).
import type { Recorded } from "../../protocol/event.ts";
import { categoryOf } from "../../protocol/failure.ts";
import type { Notification } from "../../protocol/view.ts";
import type { ReadonlyState } from "../state.ts";
import { waitText } from "./wait-text.ts";

export function notificationFor(event: Recorded, state: ReadonlyState): Notification | null {
  switch (event.type) {
    case "task.completed":
      return { kind: "done", text: `${event.task} completed: ${state.tasks.get(event.task)?.spec.title ?? ""}` };
    case "task.failed":
      return event.final ? { kind: "failed", text: `${event.task} failed for good` } : null;
    case "run.faulted":
      return { kind: "failed", text: `[${categoryOf(event.failure.kind)}] ${event.failure.message}` };
    case "wait.started":
      return event.kind === "usage_limit" ? { kind: "limit-wait", text: waitText(event) } : null;
    case "approval.asked":
      return { kind: "approval", text: `${event.name}: ${event.question}` };
    case "run.ended":
      return { kind: "ended", text: `run ended: ${event.reason}${event.detail === "" ? "" : ` – ${event.detail}`}` };
    default:
      return null;
  }
}
