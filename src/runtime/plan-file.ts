// A plan found in a file, without a journal behind it (rules F5, F6): read as a whole, or refused as it is.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { circles, describeCircle } from "../core/circles.ts";
import { planFormats, readPlanText } from "../core/plan-files/formats.ts";
import type { AdoptedPlan } from "../protocol/adopted.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";
import { isDamagedJson } from "../protocol/strict-json.ts";
import { readSmallBytes, textOf } from "./config/small-file.ts";

const ownFile = "harness-tasks.json";
const maxBytes = 64 * 1024 * 1024;

export interface FoundPlan {
  /** The file, from the state root. */
  readonly source: string;
  readonly plan: AdoptedPlan;
}

/** Plan files of a state root, the one to be adopted first; something may stand there that is no file. */
export async function planFilesIn(root: string): Promise<readonly string[]> {
  const found = await Promise.all(
    planFormats.map(async ({ file }) => {
      const isThere = (await exists(join(root, file))) || (file === ownFile && (await exists(backupIn(root))));
      return isThere ? [file] : [];
    }),
  );
  return found.flat();
}

const backupIn = (root: string): string => join(root, `${ownFile}.bak`);
const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** The project's plan; null if there is none. What stands at the first place is the plan, or is refused. */
export async function findPlan(root: string): Promise<Outcome<FoundPlan | null>> {
  const [source, ...others] = await planFilesIn(root);
  if (source === undefined) return succeeded(null);
  const plan = source === ownFile ? await readOwn(root) : (await readPlan(root, source)).plan;
  if (!plan.ok || plan.value === null) return plan.ok ? succeeded(null) : plan;
  const ignored = others.map((other) => `${other}: not adopted, because ${source} is there too`);
  return succeeded({ source, plan: { ...plan.value, warnings: [...ignored, ...plan.value.warnings] } });
}

/** The project's harness-tasks.json; its backup if that is missing or no JSON at all; null if there is neither. */
async function readOwn(root: string): Promise<Outcome<AdoptedPlan | null>> {
  const file = await readPlan(root, ownFile);
  if (file.lost === null) return file.plan;
  const { plan: saved } = await readPlan(root, `${ownFile}.bak`);
  if (saved.ok && saved.value !== null) {
    const warning = `${ownFile} is ${file.lost}: taken from ${ownFile}.bak, which may be one change old`;
    return succeeded({ ...saved.value, warnings: [warning, ...saved.value.warnings] });
  }
  if (file.plan.ok) return file.plan;
  return failed({
    kind: "env_setup",
    message: `${ownFile} corrupted and unrecoverable`,
    remedy: `mend or remove ${join(root, ownFile)}; it was not touched`,
    evidence: file.plan.failure.message,
  });
}

interface ReadPlan {
  readonly plan: Outcome<AdoptedPlan | null>;
  /** Why a backup may take its place; null where what is there says something, or may after a look at its rights. */
  readonly lost: "missing" | "damaged" | null;
}

async function readPlan(root: string, file: string): Promise<ReadPlan> {
  const path = join(root, file);
  if (await isLink(path)) return { plan: failed(notAFile(path)), lost: null };
  const bytes = await readSmallBytes(path, maxBytes);
  if (!bytes.ok) return { plan: bytes, lost: null };
  if (bytes.value === null) return { plan: succeeded(null), lost: "missing" };
  const text = textOf(bytes.value);
  if (text === null)
    return { plan: failed({ kind: "config", message: `${file}: is not UTF-8 text` }), lost: "damaged" };
  const plan = readPlanText(text, file);
  return { plan, lost: !plan.ok && isDamagedJson(text) ? "damaged" : null };
}

/** One that came with a clone may lead to anything; our first view would put a file in the place of the user's own. */
const notAFile = (path: string): Failure => ({
  kind: "config",
  message: `${path} is a link, not a file`,
  remedy: "put the file itself in its place",
});

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    // Reading will say what is wrong.
    () => false,
  );

export { readPlanText };

/** Each circle of dependencies in a plan, as its members are told of it (K1). */
export function circlesIn(plan: AdoptedPlan): readonly string[] {
  const open = plan.tasks.filter(({ status }) => status !== "completed");
  const graph = new Map(open.map(({ spec }) => [spec.id, spec.dependsOn]));
  return circles(graph).map((circle) => describeCircle(circle, circle.way[0] ?? ""));
}
