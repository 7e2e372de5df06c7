// One operation rehearsed unharmed, then performed again and again with something going wrong.
import { expect } from "vitest";
import type { StoredEvent } from "../../src/stores/store.ts";
import { type Operation, stage } from "./operations.ts";
import { fileCalls, type Point, pointsIn } from "./points.ts";
import type { Scene } from "./scene.ts";
import type { Traced } from "./strace.ts";
import { brokenViews, eventsOf, journalFaults, mend, viewFaults } from "./truth.ts";

export interface Rehearsal {
  readonly operation: Operation;
  readonly scene: Scene;
  readonly before: readonly StoredEvent[];
  /** Types of the events it appends when nothing goes wrong. */
  readonly appends: readonly string[];
  readonly points: readonly Point[];
}

/** The caller removes the scene. */
export async function rehearse(operation: Operation): Promise<Rehearsal> {
  const scene = await stage(operation);
  const before = await eventsOf(scene);
  const clean = await scene.traced(operation.args, { calls: [...fileCalls, "io_uring_setup"], onlyItself: true });
  if (clean.code !== 0) throw new Error(`${operation.name} fails unharmed: ${clean.code} ${clean.stderr}`);
  // Calls through io_uring would be neither seen nor hit.
  expect(clean.calls.filter(({ name }) => name === "io_uring_setup")).toEqual([]);
  const appends = (await eventsOf(scene)).slice(before.length).map(({ type }) => type);
  return { operation, scene, before, appends, points: pointsIn(clean.calls, scene.live) };
}

/** Puts the scene back and performs the operation with this call going wrong, in itself or in what it starts. */
export async function hit(
  { operation, scene }: Rehearsal,
  { name, path }: Point,
  inject: string,
  { onlyItself = true, quick = false }: { readonly onlyItself?: boolean; readonly quick?: boolean } = {},
): Promise<Traced> {
  scene.restore();
  return scene.traced(operation.args, { calls: [name], paths: [path], inject, onlyItself, quick, brief: true });
}

/** What is wrong with how it ended under an error; the rest is seen in what it left. */
export function conduct({ scene }: Rehearsal, { code, signal, stdout, stderr, hung }: Traced): readonly string[] {
  if (hung) return ["hung"];
  if (code === 0) return [];
  const told = `exit ${code ?? signal}: ${stderr.slice(-400)}`;
  if (code !== 10) return [told];
  if (!/^(error|ended): .+ – ./m.test(stderr) || !isPrecise(scene, stderr)) return [`not precise: ${told}`];
  return stdout === "" ? [] : ["acknowledged and failed"];
}

/** It names the thing, and the cause by its name. */
export function isPrecise({ live }: Scene, text: string): boolean {
  const names = [live, "git", "harness-progress.txt", "harness-tasks.json"];
  return names.some((name) => text.includes(name)) && !/\n {4}at |unknown (system )?error/i.test(text);
}

const appendedIn = async ({ scene, before }: Rehearsal): Promise<readonly string[]> =>
  (await eventsOf(scene)).slice(before.length).map(({ type }) => type);

/** Everything that is wrong with what the operation left, in whatever way it ended; the cause is gone by now. */
export async function leftFaults(rehearsal: Rehearsal, ended: Traced): Promise<readonly string[]> {
  const { scene, before, appends } = rehearsal;
  const acknowledged = ended.stdout.trim() !== "";
  const faults = [...(await journalFaults(scene, before)), ...brokenViews(scene).map((name) => `${name} is broken`)];
  const appended = await appendedIn(rehearsal);
  const isDone = String(appended) === String(appends);
  if (!isDone && appended.length > 0) faults.push(`only a part was recorded: ${appended}`);
  if (!isDone && acknowledged) faults.push("it was acknowledged and is not there");
  if (ended.code === 0 && !acknowledged) faults.push("it ended well and said nothing");
  return faults;
}

/** Everything that is wrong with how it goes on from there. */
export async function nextFaults(rehearsal: Rehearsal): Promise<readonly string[]> {
  const { operation, scene, before, appends } = rehearsal;
  const appended = await appendedIn(rehearsal);
  const isDone = String(appended) === String(appends);
  const faults: string[] = [];
  const isMission = before.length + appended.length > 0;
  if (isMission) faults.push(...(await mend(scene)), ...(await viewFaults(scene)));
  else if (![0, 1, 10].includes((await scene.harness("status")).code)) faults.push("status ends with a bug");
  // What is recorded once may rightly be refused the second time.
  const again = isDone && appends.length > 0 ? ["add", "After", "--validate", "true"] : operation.args;
  const repeated = await scene.harness(...again);
  if (repeated.code !== 0) faults.push(`harness ${again.join(" ")} afterwards → ${repeated.code} ${repeated.stderr}`);
  const now = await appendedIn(rehearsal);
  const wanted = again === operation.args ? appends : [...appends, "task.added"];
  if (String(now) !== String(wanted)) faults.push(`afterwards the journal has ${now}, not ${wanted}`);
  return [...faults, ...(await viewFaults(scene))];
}
