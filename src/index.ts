// The library's public surface.
export {
  type AgentChoice,
  type Environment,
  type Initialised,
  initProject,
  locateProject,
  type Mission,
  type OpenOptions,
  openMission,
  type Project,
  uncommittedFiles,
  verifyJournal,
} from "./compose.ts";
export { statusView } from "./core/views/status.ts";
export { createTimeline } from "./core/views/timeline.ts";
export type { Event, Recorded } from "./protocol/event.ts";
export type { Failure, Outcome } from "./protocol/failure.ts";
export type { Command, TaskRequest } from "./protocol/input.ts";
export type { StatusView } from "./protocol/view.ts";
export type { RunEnd } from "./runtime/run.ts";
