// A plan found in a file, without a journal behind it (rules F5, F6): read as a whole, or refused as it is.
import { join } from "node:path";
import { circles, describeCircle } from "../core/circles.ts";
import { readTasksFile } from "../core/tasks-file/read.ts";
import type { AdoptedPlan } from "../protocol/adopted.ts";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import { isDamagedJson } from "../protocol/strict-json.ts";
import { readSmallFile } from "./config/small-file.ts";

const maxBytes = 64 * 1024 * 1024;

/** The project's harness-tasks.json; its backup if that is no JSON at all; null if there is none. */
export async function findPlan(root: string): Promise<Outcome<AdoptedPlan | null>> {
  const name = "harness-tasks.json";
  const text = await readSmallFile(join(root, name), maxBytes);
  if (!text.ok) return text;
  if (text.value === null) return succeeded(null);
  const plan = readTasksFile(text.value, name);
  if (plan.ok || !isDamagedJson(text.value)) return plan;
  const backup = await readSmallFile(join(root, `${name}.bak`), maxBytes);
  const saved = backup.ok && backup.value !== null ? readTasksFile(backup.value, `${name}.bak`) : null;
  if (saved?.ok) {
    const warning = `${name} is damaged: taken from ${name}.bak, which may be one change old`;
    return succeeded({ ...saved.value, warnings: [warning, ...saved.value.warnings] });
  }
  return failed({
    kind: "env_setup",
    message: `${name} corrupted and unrecoverable`,
    remedy: `mend or remove ${join(root, name)}; it was not touched`,
    evidence: plan.failure.message,
  });
}

export { readTasksFile };

/** Each circle of dependencies in a plan, as its members are told of it (K1). */
export function circlesIn(plan: AdoptedPlan): readonly string[] {
  const open = plan.tasks.filter(({ status }) => status !== "completed");
  const graph = new Map(open.map(({ spec }) => [spec.id, spec.dependsOn]));
  return circles(graph).map((circle) => describeCircle(circle, circle.way[0] ?? ""));
}
