// Where a mission lives: the state root in the project, and the state home outside every agent's reach (rule F1).
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../kit/atomic-file.ts";
import { createFolderDurably } from "../kit/durable-folder.ts";
import { causeOf, namingFile } from "../kit/file-error.ts";
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
  const id = await readId(real);
  if (!id.ok) return id;
  if (id.value === null) return failed(notInitialised(real));
  return openHome(real, id.value, homeOf(id.value, env));
}

async function openHome(real: string, id: string, home: string): Promise<Outcome<Project>> {
  const noted = await readIfThere(rootFile(home));
  if (!noted.ok) return noted;
  const known = noted.value;
  // Moved, with a link left at the old place, it is no copy.
  const isSame = known === null || known === real || (await realpath(known).catch(() => null)) === real;
  const other = isSame ? succeeded(null) : await readId(known);
  if (!other.ok) return other;
  if (other.value === id) {
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
  createFolderDurably(join(real, ".harness"), 0o777);
  const isOurs = await claimRoot(real, id);
  return isOurs ? succeeded({ root: real, id, home }) : openProject(real, env);
}

/** False when another process named the root at the same moment. What is no id is replaced. */
async function claimRoot(root: string, id: string): Promise<boolean> {
  const [file, text] = [idFile(root), `${id}\n`];
  try {
    await writeFileAtomic(file, text, { mode: 0o644, onlyNew: true });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const present = await readId(root);
    if (!present.ok || present.value !== null) return false;
    await writeFileAtomic(file, text, { mode: 0o644 });
  }
  return true;
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

/** Null where there is none, or none of ours. */
async function readId(root: string): Promise<Outcome<string | null>> {
  const text = await readIfThere(idFile(root));
  if (!text.ok) return text;
  const id = text.value?.trim() ?? "";
  return succeeded(isId(id) ? id : null);
}

/** What is there and cannot be read must not be taken for missing: another would be put in its place. */
async function readIfThere(path: string): Promise<Outcome<string | null>> {
  try {
    return succeeded(await readFile(path, "utf8").catch(namingFile(path)));
  } catch (error) {
    if (isMissing(error)) return succeeded(null);
    const message = `${path} cannot be read: ${causeOf(error)}`;
    return failed({ kind: "env_setup", message, remedy: "remove the cause, then try again" });
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code));

const notInitialised = (root: string) =>
  ({ kind: "usage", message: `${root} is not a Harness project`, remedy: "run: harness init" }) as const;

async function remember(home: string, root: string): Promise<void> {
  createFolderDurably(home, 0o700);
  await writeFileAtomic(rootFile(home), root, { mode: 0o600 });
}
