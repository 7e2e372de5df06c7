// What is done to a mission while things go wrong: each with the state it begins in.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { locateProject, openMission } from "../../src/compose.ts";
import type { Command } from "../../src/protocol/input.ts";
import { Scene } from "./scene.ts";

export interface Operation {
  readonly name: string;
  readonly args: readonly string[];
  prepare(scene: Scene): Promise<void>;
}

export const agentCommand = 'echo work > "$HARNESS_TASK_ID.txt"';
export const runArgs = ["run", "--agent-command", agentCommand];

const plan = {
  version: 2,
  created: "2026-01-01T00:00:00.000Z",
  session_config: { concurrency_mode: "exclusive", max_tasks_per_session: 20, max_sessions: 50 },
  tasks: ["task-001", "task-002"].map((id) => ({ id, title: `Title of ${id}`, validation: { command: "true" } })),
  session_count: 0,
  last_session: null,
};

const begun = async (scene: Scene): Promise<void> => {
  await scene.must("init", "--yes");
  await scene.must("add", "A", "--validate", "test -f task-001.txt");
};

async function shared(scene: Scene): Promise<void> {
  scene.write(".harness/config.json", '{"concurrency":"concurrent"}');
  await begun(scene);
}

async function failed(scene: Scene): Promise<void> {
  await scene.must("init", "--yes");
  await scene.must("add", "A", "--validate", "false", "--max-attempts", "1");
  await scene.must("add", "B", "--validate", "false", "--max-attempts", "1", "--depends-on", "task-001");
  const { code, stderr } = await scene.harness(...runArgs);
  if (code !== 11) throw new Error(`the task should have failed: ${code} ${stderr}`);
}

async function asked(scene: Scene): Promise<void> {
  await begun(scene);
  await submit(scene, { type: "approval.ask", name: "deploy", task: "task-001", question: "go?" });
}

async function submit(scene: Scene, command: Command): Promise<void> {
  const project = await locateProject(scene.root, scene.env);
  const mission = project.ok ? await openMission(project.value, { env: scene.env }) : project;
  if (!mission.ok) throw new Error(mission.failure.message);
  const done = await mission.value.submit(command);
  await mission.value.close();
  if (!done.ok) throw new Error(done.failure.message);
}

/** No view is left, and nobody remembers that there were any. */
async function unpublished(scene: Scene): Promise<void> {
  await failed(scene);
  const project = await locateProject(scene.root, scene.env);
  if (!project.ok) throw new Error(project.failure.message);
  const views = ["harness-tasks.json", "harness-tasks.json.bak", "harness-progress.txt", ".harness/hook.json"];
  for (const view of [...views, ".harness-active"]) rmSync(join(scene.root, view), { force: true });
  for (const mark of ["views.json", "tasks-view.json"]) rmSync(join(project.value.home, mark), { force: true });
}

export const beginnings: readonly Operation[] = [
  { name: "init", args: ["init", "--yes"], prepare: async () => undefined },
  {
    name: "adopt",
    args: ["init", "--yes"],
    prepare: async (scene) => scene.write("harness-tasks.json", JSON.stringify(plan)),
  },
  { name: "add", args: ["add", "B", "--validate", "true"], prepare: begun },
  { name: "publish", args: ["status"], prepare: unpublished },
];

export const steering: readonly Operation[] = [
  { name: "edit", args: ["edit", "task-001", "--title", "New", "--priority", "P0"], prepare: begun },
  { name: "pause", args: ["pause"], prepare: begun },
  { name: "approve", args: ["approve", "deploy"], prepare: asked },
  { name: "deny", args: ["deny", "deploy", "--note", "no"], prepare: asked },
  { name: "retry", args: ["retry", "task-001"], prepare: failed },
  { name: "reset", args: ["reset", "--yes"], prepare: failed },
];

export const wholeRun: Operation = { name: "run", args: runArgs, prepare: begun };
/** It holds a lease instead of the lock (L2). */
export const sharedRun: Operation = { name: "concurrent run", args: runArgs, prepare: shared };

export async function stage(operation: Operation): Promise<Scene> {
  const scene = new Scene();
  await operation.prepare(scene);
  scene.keep();
  return scene;
}
