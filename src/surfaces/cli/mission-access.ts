// The mission that a command is about: found, opened, and closed again however the command ends.
import {
  type Adopted,
  locateProject,
  type Mission,
  type OpenedMission,
  type OpenOptions,
  openMission,
  type Project,
} from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Failure, Outcome } from "../../protocol/failure.ts";
import { type Context, warningText, writeLine } from "./context.ts";

export type MissionState = ReturnType<Mission["state"]>;

/** The project of this command; a plan that is taken over on the way is told of, for it was not asked for. */
export const findProject = (context: Context): Promise<Outcome<Project>> =>
  locateProject(context.cwd, context.env, context.root, (adopted) => sayAdopted(adopted, context));

function sayAdopted({ source, tasks, warnings }: Adopted, { stderr }: Context): void {
  writeLine(stderr, `note: adopted ${tasks === 1 ? "1 task" : `${tasks} tasks`} of ${source}`);
  for (const warning of warnings) writeLine(stderr, `warning: ${oneLine(warning)}`);
}

export type PlaceOptions = Pick<OpenOptions, "workspace" | "withChanges">;

export async function withMission<T>(
  context: Context,
  work: (mission: OpenedMission, project: Project) => Promise<Outcome<T>>,
  place: PlaceOptions = {},
): Promise<Outcome<T>> {
  const project = await findProject(context);
  if (!project.ok) return project;
  const onTrouble = (failure: Failure) => writeLine(context.stderr, warningText(failure));
  const mission = await openMission(project.value, { env: context.env, onTrouble, ...place });
  if (!mission.ok) return mission;
  try {
    return await work(mission.value, project.value);
  } finally {
    await mission.value.close();
  }
}

export const noMission = {
  kind: "usage",
  message: "there is no mission here yet",
  remedy: "run: harness init",
} as const;

export const noSuchTask = (id: string) =>
  ({ kind: "usage", message: `there is no task "${id}"`, remedy: "harness tasks shows them all" }) as const;
