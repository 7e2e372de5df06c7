// Where our git works: the user's repository, our own git directory (the ledger) and throw-away scratch space.
// Agents can write any git directory in a work tree, so our calls there go through the ledger, whose configuration is ours.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { namingFile } from "../kit/file-error.ts";
import { makeFolder } from "../kit/make-folder.ts";
import { isMissing, keepText, kindOf, readText, syncDirectory, syncTree, writeSmall } from "./files.ts";
import { type GitPlace, gitBytes } from "./git.ts";
import { followMove } from "./moved.ts";
import { sweepDrafts } from "./reference.ts";
import { findRepository, type UserRepository } from "./user-repository.ts";
import { readExcludes } from "./user-settings.ts";

export interface SiteOptions {
  /** The user's checkout, or any directory in it. */
  readonly repository: string;
  /** Absolute directory for everything we keep; nobody else writes there. */
  readonly home: string;
  /** The mission branch, `harness/…`. */
  readonly branch: string;
  /** The mission by name. Commits that name another are not its own; if it is not given, all are. */
  readonly mission?: string;
  /** The state root as a sub-directory of the repository's top, "" when it is the top. */
  readonly rootPrefix: string;
  /** Runs a few calls that no other process of this mission may come between; alone if not given. */
  readonly exclusively?: <T>(work: () => T) => Promise<T>;
}

export interface Site extends SiteOptions {
  readonly exclusively: NonNullable<SiteOptions["exclusively"]>;
  readonly user: UserRepository;
  readonly ledger: string;
  /** What git wrote into the ledger's configuration about format and file system. */
  readonly config: string;
}

export async function openSite(options: SiteOptions): Promise<Site> {
  const user = await findRepository(options.repository);
  await makeFolder(join(options.home, "tmp"), 0o700);
  const ledger = join(options.home, "ledger.git");
  if ((await kindOf(ledger)) === "missing") {
    const draft = await mkdtemp(join(options.home, "tmp", `${process.pid}-`));
    await gitBytes({ gitDir: draft }, ["init", "-q", "--bare", "--template=", `--object-format=${user.format}`]);
    // Before it has its name: a ledger that a power cut emptied would stand in the way of every later run.
    await syncTree(draft);
    // Another process may have been first; then its ledger serves and the draft is swept later.
    await rename(draft, ledger).catch(async (error) => {
      if ((await kindOf(ledger)) === "missing") throw error;
    });
    await syncDirectory(options.home);
  }
  const { exclusively = async (work) => work() } = options;
  const configFile = join(ledger, "config");
  const config = await readFile(configFile, "utf8").catch(namingFile(configFile));
  const site = { ...options, exclusively, user, ledger, config };
  await followMove(options.home, ledger, user.objectsDir);
  await sweepDrafts(user.commonDir);
  await furnish(site, ledger);
  return site;
}

/**
 * Files keep the bytes they have in the repository: no line ending, encoding or filter is ever applied. This file
 * outranks every .gitattributes in the tree.
 */
const rawAttributes = "* -text -eol -ident -filter -working-tree-encoding\n";

/** Our own files of the state root, as patterns from the top of the repository: never part of a candidate. */
export const harnessFiles = ({ rootPrefix }: Site): string[] =>
  ["harness-tasks.json*", "harness-progress.txt", ".harness-active", ".harness"].map((pattern) =>
    rootPrefix === "" ? pattern : `${literally(rootPrefix)}/${pattern}`,
  );

/** Whether a path from the top of the repository, byte by byte, is one of them or below one. */
export const isHarnessFile =
  ({ rootPrefix }: Site) =>
  (path: string): boolean => {
    const prefix = rootPrefix === "" ? "" : `${Buffer.from(rootPrefix, "utf8").toString("latin1")}/`;
    return (
      path.startsWith(prefix) &&
      /^(harness-tasks\.json[^/]*|harness-progress\.txt|\.harness-active|\.harness)(\/|$)/.test(
        path.slice(prefix.length),
      )
    );
  };

/** A path as a pattern of git's that matches nothing else. */
export const literally = (path: string): string => path.replace(/[\\*?[]/g, "\\$&");

/** Gives a git directory of ours objects, ignore rules and history limits of the user's repository. */
export async function furnish(site: Site, gitDir: string): Promise<void> {
  const { commonDir, objectsDir } = site.user;
  await makeFolder(join(gitDir, "info"));
  await makeFolder(join(gitDir, "objects", "info"));
  await keepText(join(gitDir, "objects", "info", "alternates"), `${objectsDir}\n`);
  await keepText(join(gitDir, "info", "attributes"), rawAttributes);
  // First the rules for all of the user's repositories, then this one's: a later line outranks an earlier one.
  const everywhere = await readExcludes(site.user);
  const ignored = `${everywhere}\n${(await readText(join(commonDir, "info", "exclude"), 1_000_000)) ?? ""}`;
  const own = harnessFiles(site)
    .map((pattern) => `/${pattern}\n`)
    .join("");
  await keepText(join(gitDir, "info", "exclude"), `${ignored}\n${own}`);
  await copyFile(join(commonDir, "shallow"), join(gitDir, "shallow")).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    await rm(join(gitDir, "shallow"), { force: true });
  });
}

export interface Scratch {
  readonly directory: string;
  /** The ledger with an index and an object store that vanish with the scratch. */
  readonly place: GitPlace & { readonly indexFile: string; readonly objectsDir: string };
}

/** `also` names more object stores to read from; never one an agent can write when objects are to be kept. */
export async function withScratch<T>(
  site: Site,
  also: readonly string[],
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(site.home, "tmp", `${process.pid}-`));
  const objectsDir = join(directory, "objects");
  await makeFolder(join(objectsDir, "info"));
  writeSmall(join(objectsDir, "info", "alternates"), [site.user.objectsDir, ...also, ""].join("\n"));
  try {
    return await work({ directory, place: { gitDir: site.ledger, objectsDir, indexFile: join(directory, "index") } });
  } finally {
    await removeScratch(directory);
  }
}

const fewObjects = 32;
const smallNames = new Set(["index", "objects", "recycled"]);

/** Nearly always a handful of files, which are gone before an errand of the thread pool has begun. */
async function removeScratch(directory: string): Promise<void> {
  const options = { recursive: true, force: true };
  const isSmall =
    readdirSync(directory).every((name) => smallNames.has(name)) &&
    readdirSync(join(directory, "objects")).length < fewObjects;
  if (isSmall) rmSync(directory, options);
  else await rm(directory, options);
}

/** Removes scratch space of processes that are gone. */
export async function sweepScratch(site: Site): Promise<void> {
  for (const name of readdirSync(join(site.home, "tmp"))) {
    const pid = Number.parseInt(name, 10);
    if (pid > 0 && !isRunning(pid)) await rm(join(site.home, "tmp", name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
