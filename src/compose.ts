// What surfaces may do: everything that knows the chosen variants is in compose/.
export {
  type Adopted,
  type Initialised,
  initProject,
  locateProject,
  openMission,
  trustProject,
} from "./compose/begin.ts";
export { describeAgent, findClaudeCode, modelNote, transcriptOf } from "./compose/chosen-agent.ts";
export { emptyInbox, type InboxListing, type InboxOutcome, lookIntoInbox } from "./compose/inbox.ts";
export {
  type Changes,
  changesIn,
  type PushPlan,
  planPushOf,
  pushAs,
  uncommittedFiles,
  verifyJournal,
} from "./compose/look.ts";
export type { OpenedMission, OpenOptions } from "./compose/open.ts";
export { settleWorkspace } from "./compose/place.ts";
export { type AgentChoice, configForRun, type RunConfig } from "./compose/project-config.ts";
export {
  dropRescue,
  expiredAmong,
  findRescue,
  listRescues,
  type PutAway,
  rescuedFiles,
  restoreRescue,
  type ShownFile,
} from "./compose/rescues.ts";
export { missingSetup, proposedSetup, writeSetup } from "./compose/set-up.ts";
export type { AgentFacts } from "./drivers/driver.ts";
export { reachWithout, type SandboxChoice } from "./runtime/config/choose-sandbox.ts";
export { nearest } from "./runtime/config/nearest.ts";
export { loadConfig } from "./runtime/config.ts";
export { dropConsents, keepConsent } from "./runtime/consent-store.ts";
export { detectProject } from "./runtime/detect/detect-project.ts";
export { initScriptTemplate } from "./runtime/detect/init-script.ts";
export type { Mission } from "./runtime/mission.ts";
export { keptOutput, olderPart, outputOf } from "./runtime/output/output-files.ts";
export { rootAbove, workerLog, workerPid } from "./runtime/place.ts";
export { circlesIn, planFilesIn, readPlanText } from "./runtime/plan-file.ts";
export type { Environment, Project } from "./runtime/project.ts";
export { acceptances, dropAcceptances, isAccepted, keepAcceptance } from "./runtime/trust-store.ts";
export { recentLog } from "./runtime/views/recent-log.ts";
