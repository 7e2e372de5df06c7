// A plan found in a file, without a journal behind it (rules F5, F6): read as a whole, or refused as it is.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { circles, describeCircle } from "../core/circles.ts";
import { planFormats, readPlanText } from "../core/plan-files/formats.ts";
import { readTasksFile } from "../core/tasks-file/read.ts";
import type { AdoptedPlan } from "../protocol/adopted.ts";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import { isDamagedJson } from "../protocol/strict-json.ts";
import { readSmallFile } from "./config/small-file.ts";

const maxBytes = 64 * 1024 * 1024;

export interface FoundPlan {
  /** The file, from the state root. */
  readonly source: string;
  readonly plan: AdoptedPlan;
}

/** Plan files of a state root, the one to be adopted first; something may stand there that is no file. */
export async function planFilesIn(root: string): Promise<readonly string[]> {
  const found = await Promise.all(
    planFormats.map(({ file }) =>
      lstat(join(root, file)).then(
        () => [file],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** The project's plan; null if there is none. What stands at the first place is the plan, or is refused. */
export async function findPlan(root: string): Promise<Outcome<FoundPlan | null>> {
  const [source, ...others] = await planFilesIn(root);
  if (source === undefined) return succeeded(null);
  const plan = await readFrom(root, source);
  if (!plan.ok || plan.value === null) return plan.ok ? succeeded(null) : plan;
  const ignored = others.map((other) => `${other}: not adopted, because ${source} is there too`);
  return succeeded({ source, plan: { ...plan.value, warnings: [...ignored, ...plan.value.warnings] } });
}

/** A task file that is no JSON at all is taken from its backup. */
async function readFrom(root: string, name: string): Promise<Outcome<AdoptedPlan | null>> {
  const text = await readSmallFile(join(root, name), maxBytes);
  if (!text.ok) return text;
  if (text.value === null) return succeeded(null);
  const plan = readPlanText(text.value, name);
  if (plan.ok || name !== "harness-tasks.json" || !isDamagedJson(text.value)) return plan;
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

export { readPlanText };

/** Each circle of dependencies in a plan, as its members are told of it (K1). */
export function circlesIn(plan: AdoptedPlan): readonly string[] {
  const open = plan.tasks.filter(({ status }) => status !== "completed");
  const graph = new Map(open.map(({ spec }) => [spec.id, spec.dependsOn]));
  return circles(graph).map((circle) => describeCircle(circle, circle.way[0] ?? ""));
}
