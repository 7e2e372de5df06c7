// Where a mission lives: the state root in the project, and the state home outside every agent's reach (rule F1).
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../kit/atomic-file.ts";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import { type Environment, homeOf, idFile, isId, journalIn, rootAbove, rootFile } from "./place.ts";
import { type ProjectCode, sha256 } from "./trust.ts";

export type { Environment };

export interface Project {
  /** Real path of the state root. */
  readonly root: string;
  /** Names the root, so that a moved folder keeps its state. */
  readonly id: string;
  /** Journal, workspaces, archives; 0700. */
  readonly home: string;
}

/** The root we told an agent about, else the nearest ancestor that is one, or null. */
export const findRoot = async (from: string, env: Environment): Promise<string | null> => rootAbove(from, env);

/** Looks only; but a folder that was moved is noted at its new place. */
export async function openProject(root: string, env: Environment): Promise<Outcome<Project>> {
  const real = await realpath(root).catch(() => null);
  if (real === null) return failed({ kind: "usage", message: `there is no directory ${root}` });
  const id = (await readFile(idFile(real), "utf8").catch(() => "")).trim();
  if (!isId(id)) return failed(notInitialised(real));
  const home = homeOf(id, env);
  const known = await readFile(rootFile(home), "utf8").catch(() => null);
  if (known !== null && known !== real && (await readFile(idFile(known), "utf8").catch(() => "")).trim() === id) {
    return failed({
      kind: "usage",
      message: `${real} is a copy of ${known}: both carry the same .harness/id`,
      remedy: `delete ${idFile(real)} and run: harness init`,
    });
  }
  if (known !== null && known !== real) await remember(home, real);
  return succeeded({ root: real, id, home });
}

/** Makes `root` a state root; one that is already keeps its id. */
export async function createProject(root: string, env: Environment): Promise<Outcome<Project>> {
  const present = await openProject(root, env);
  if (present.ok) {
    await remember(present.value.home, present.value.root);
    return present;
  }
  const real = await realpath(root).catch(() => null);
  if (real === null || present.failure.message !== notInitialised(real).message) return present;
  const trouble = await access(real, constants.W_OK).then(
    () => null,
    (error: NodeJS.ErrnoException) =>
      error.code === "EROFS" ? "its file system is read-only" : (error.code ?? "no access"),
  );
  if (trouble !== null) {
    const message = `${real} cannot be written: ${trouble}`;
    return failed({ kind: "env_setup", message, remedy: "see that this user may write there" });
  }
  const id = randomBytes(16).toString("hex");
  const home = homeOf(id, env);
  await remember(home, real);
  await mkdir(join(real, ".harness"), { recursive: true });
  await writeFileAtomic(idFile(real), `${id}\n`, { mode: 0o644 });
  return succeeded({ root: real, id, home });
}

/** Of the project's harness-init.sh, and of the commands that its configuration names. */
export async function projectFacts(
  root: string,
  configured: readonly string[],
): Promise<ProjectCode & { readonly initScript: boolean }> {
  const script = await readFile(join(root, "harness-init.sh"), "utf8").catch(() => null);
  const what = [...configured, ...(script === null ? [] : [`harness-init.sh:\n${script}`])];
  return { initScript: script !== null, hash: what.length === 0 ? null : sha256(JSON.stringify(what)), what };
}

export const journalFile = (project: Project): string => journalIn(project.home);

const notInitialised = (root: string) =>
  ({ kind: "usage", message: `${root} is not a Harness project`, remedy: "run: harness init" }) as const;

async function remember(home: string, root: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFileAtomic(rootFile(home), root, { mode: 0o600 });
}
