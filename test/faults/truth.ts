// What must be true of a project after anything went wrong: its journal, and once it was opened again its views.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { locateProject, openMission, type Project, verifyJournal } from "../../src/compose.ts";
import { emptyState } from "../../src/core/empty-state.ts";
import { fold } from "../../src/core/evolve/evolve.ts";
import { renderTasksFile } from "../../src/core/tasks-file/write.ts";
import { noSession } from "../../src/core/views/session-count.ts";
import { createTimeline } from "../../src/core/views/timeline.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { journalFile, openProject } from "../../src/runtime/project.ts";
import { isWorkLeft } from "../../src/runtime/views/marker.ts";
import { openSqliteStore, StoreError } from "../../src/stores/index.ts";
import type { StoredEvent } from "../../src/stores/store.ts";
import type { Scene } from "./scene.ts";

/** Undefined when there is no project, or none with a journal. Changes nothing. */
export async function projectOf(scene: Scene): Promise<Project | undefined> {
  const project = await openProject(scene.root, scene.env);
  return project.ok && existsSync(journalFile(project.value)) ? project.value : undefined;
}

/** The events of the journal; none if it is not there yet. */
export async function eventsOf(scene: Scene): Promise<readonly StoredEvent[]> {
  const project = await projectOf(scene);
  if (project === undefined) return [];
  try {
    const store = await openSqliteStore({ path: journalFile(project), readOnly: true });
    const events = await store.read(0, 100_000);
    await store.close();
    return events;
  } catch (error) {
    if (error instanceof StoreError && error.trouble === "missing") return [];
    throw error;
  }
}

/** What is wrong with the journal, seen from before anything was mended. */
export async function journalFaults(scene: Scene, before: readonly StoredEvent[]): Promise<readonly string[]> {
  const now = await eventsOf(scene);
  const project = await projectOf(scene);
  const faults: string[] = [];
  if (now.length > 0 && project && (await verifyJournal(project)) !== null) faults.push("the chain does not verify");
  const lost = before.findIndex(({ hash }, at) => now[at]?.hash !== hash);
  if (lost !== -1) faults.push(`the event at ${lost + 1} is lost`);
  return faults;
}

/** A reader who knows nothing of us finds whole files at any time. */
export function brokenViews({ root }: Scene): readonly string[] {
  return ["harness-tasks.json", "harness-tasks.json.bak", ".harness/hook.json"].filter((name) => {
    const path = join(root, name);
    return existsSync(path) && !parses(readFileSync(path, "utf8"));
  });
}

/** Opens and closes the mission, as any command does: that alone must bring every view up to date. */
export async function mend(scene: Scene): Promise<readonly string[]> {
  const before = (await eventsOf(scene)).length;
  const faults: string[] = [];
  const onTrouble = ({ message }: { message: string }) => faults.push(message);
  const project = await locateProject(scene.root, scene.env);
  const mission = project.ok ? await openMission(project.value, { env: scene.env, onTrouble }) : project;
  if (!mission.ok) return [mission.failure.message];
  await mission.value.close();
  const appended = (await eventsOf(scene)).slice(before).map(({ type }) => type);
  return appended.length === 0 ? faults : [...faults, `opening it appended ${appended}`];
}

/** Compares every view with the journal. */
export async function viewFaults(scene: Scene): Promise<readonly string[]> {
  const faults = brokenViews(scene).map((name) => `${name} is broken`);
  const events = (await eventsOf(scene)).map((event) => decodeEvent(event));
  const state = fold(emptyState(), events);
  const read = (name: string) =>
    existsSync(join(scene.root, name)) ? readFileSync(join(scene.root, name), "utf8") : "";
  if (read("harness-tasks.json") !== renderTasksFile(state)) faults.push("harness-tasks.json is not the journal's");
  const lineOf = createTimeline({ titleOf: (id) => state.tasks.get(id)?.spec.title ?? "", from: noSession });
  const lines = events.flatMap((event) => lineOf(event)?.text ?? []);
  if (read("harness-progress.txt") !== lines.map((line) => `${line}\n`).join("")) {
    faults.push("harness-progress.txt has lines missing, doubled or torn");
  }
  const hook = JSON.parse(read(".harness/hook.json") || "{}");
  const { size, mtimeMs } = statSync(join(scene.root, "harness-tasks.json"), { throwIfNoEntry: false }) ?? {};
  if (hook.position !== state.position) faults.push(`hook.json is at ${hook.position}, not ${state.position}`);
  if (hook.tasksFile?.size !== size || hook.tasksFile?.mtimeMs !== mtimeMs) {
    faults.push("hook.json speaks of another harness-tasks.json");
  }
  if (existsSync(join(scene.root, ".harness-active")) !== isWorkLeft(state)) faults.push(".harness-active is wrong");
  return faults;
}

export const processesIn = (place: string): readonly string[] =>
  execFileSync("ps", ["-eo", "args="], { encoding: "utf8", maxBuffer: 1 << 26 })
    .split("\n")
    .filter((args) => args.includes(place) && !args.startsWith("strace "))
    .map((args) => `left running: ${args}`);

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
