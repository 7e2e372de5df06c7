// The tree of a checkout as it stands, made with an index and objects of ours: the agent's own index may be stale,
// locked, unmerged or hostile, and nothing in the workspace changes.
import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CommitId } from "../protocol/ids.ts";
import { copyIndex, hashOfFile, kindOf } from "./files.ts";
import { type GitCall, git, gitBytes, gitPaths, gitText, pathList, refuseGit, shownPath } from "./git.ts";
import { leftIn } from "./left.ts";
import { isAmong } from "./made.ts";
import { refuse } from "./refusal.ts";
import { harnessFiles, literally, type Scratch, type Site } from "./site.ts";
import { putBackSubmodules, type Submodule, takeOutSubmodules } from "./submodules.ts";

/** A checkout somebody works in, and what we know of how it began. */
export interface WorkTree {
  readonly work: string;
  /** The index of whoever works there: theirs, only read. */
  readonly theirIndex: string;
  /** Index of the base as it was checked out, out of their reach: stamps that make snapshots cheap. */
  readonly index: string;
  /** The same, written in a later second: git need not read files to trust its stamps. */
  readonly settledIndex: string;
}

export interface Snapshot {
  readonly tree: string;
  /** Git repositories inside the work tree that are not ignored: git would store a mere pointer to them. */
  readonly nested: readonly string[];
  readonly submodules: readonly Submodule[];
  /** Whether files were found that the tree does not hold: ignored ones, our own, nested repositories. */
  readonly leftovers: boolean;
}

export interface SnapshotRequest {
  readonly base: CommitId;
  /** What `index` holds; null when there is none to begin with. */
  readonly record: (HandedOut & { readonly base: CommitId; readonly submodules: readonly Submodule[] }) | null;
  readonly scratch: Scratch;
  /** Paths that count neither as work nor as leftovers: what a set-up made. */
  readonly exempt: readonly string[];
  readonly leftovers?: "look";
}

/** How a checkout was when somebody got it. */
export interface HandedOut {
  /** SHA-256 of their index. */
  readonly freshIndex?: string;
  readonly baseTree?: string;
  /** Of what was in it; missing: the base's. */
  readonly startTree?: string | undefined;
}

/** Whether their index holds the base and nothing else: it is as it was made, from the base alone. */
export async function isIndexOfBase(
  theirIndex: string,
  { freshIndex, baseTree, startTree }: HandedOut,
): Promise<boolean> {
  if (freshIndex === undefined || (startTree ?? baseTree) !== baseTree) return false;
  return (await kindOf(theirIndex)) === "file" && (await hashOfFile(theirIndex)) === freshIndex;
}

export async function takeSnapshot(site: Site, at: WorkTree, request: SnapshotRequest): Promise<Snapshot> {
  if ((await kindOf(at.work)) !== "directory")
    refuse({
      kind: "env_setup",
      message: `the workspace ${at.work} is gone`,
      remedy: "Its attempt has to start again.",
    });
  const place: GitCall = { ...request.scratch.place, workTree: at.work };
  const submodules = await startFromBase(at, request, place);
  const [others, forced, left] = await Promise.all([
    gitPaths(place, ["ls-files", "-z", "--others", "--exclude-standard"]),
    trackedThoughIgnored(at, request, place),
    leftIn(site, at.work, request.base, request.scratch.place),
  ]);
  const apart = [...request.exempt, ...left];
  const known = submodules.map(({ path }) => path);
  // git lists the files of a directory, but a repository only by its name.
  const repositories = others.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  const nested = repositories.filter((path) => !known.includes(path) && !isAmong(apart, path));
  const skipped = [
    ...harnessFiles(site).map(bytesOf),
    ...[...nested, ...known, ...apart.map(bytesOf)].map(literally),
  ].flatMap(excluding);
  await addAll(place, [":(top)", ...skipped]);
  if (forced.length > 0)
    await addAll(place, [...forced.map((path) => `:(top,literal)${path}`), ...skipped], ["--force"]);
  const leftovers = request.leftovers === "look" && (await hasLeftovers(place, request.exempt));
  await putBackSubmodules(at.work, submodules, place);
  return { tree: await gitText(place, ["write-tree"]), nested, submodules, leftovers };
}

const bytesOf = (path: string): string => Buffer.from(path, "utf8").toString("latin1");

/** The backslash changes no meaning, but git complains of excluded paths that are ignored when it can read them plainly. */
const excluding = (pattern: string): string[] => [
  `:(top,exclude,glob)\\${pattern}`,
  `:(top,exclude,glob)\\${pattern}/**`,
];

/** Whether a checkout has files that its index does not hold just as they are, but those that are exempt. */
export async function hasLeftovers(place: GitCall, exempt: readonly string[]): Promise<boolean> {
  const everything = ["--others", "--modified", "--directory", "--no-empty-directory"];
  const listed = await gitPaths(place, ["ls-files", "-z", ...everything]);
  return listed.some((path) => !isAmong(exempt, path));
}

/** Seeds the index with the base: what the base tracks stays tracked, even where it is ignored by now. */
async function startFromBase(
  at: WorkTree,
  { base, record, scratch, leftovers }: SnapshotRequest,
  place: GitCall,
): Promise<readonly Submodule[]> {
  if (record?.base !== base || (await kindOf(at.index)) !== "file") {
    await gitBytes(place, ["read-tree", base]);
    return takeOutSubmodules(place);
  }
  const settled = (await kindOf(at.settledIndex)) === "file";
  await copyIndex(settled ? at.settledIndex : at.index, scratch.place.indexFile);
  // Whoever looks for leftovers is about to give the place up: nobody would use a settled index.
  if (!settled && leftovers === undefined && (await isWorthSettling(at.index, scratch.directory)))
    await settle(at, scratch, place);
  return record.submodules;
}

/** About a thousand files: fewer are read in less time than it takes to start git once more. */
const smallIndexBytes = 100_000;

async function isWorthSettling(index: string, scratch: string): Promise<boolean> {
  const [{ mtimeMs, size }, now] = [await stat(index), await stat(scratch)];
  return size > smallIndexBytes && Math.floor(mtimeMs / 1000) < Math.floor(now.mtimeMs / 1000);
}

/**
 * git takes a file written in the same second as its index for possibly changed and reads it each time. A checkout
 * is such a file for ever; comparing once and writing the index again in a later second ends that.
 */
async function settle(at: WorkTree, scratch: Scratch, place: GitCall): Promise<void> {
  await git(place, ["update-index", "-q", "--refresh", "--force-write-index"]);
  const copy = join(scratch.directory, "settled");
  await copyIndex(scratch.place.indexFile, copy);
  await rename(copy, at.settledIndex);
}

/** Files the agent added with force are work although a rule ignores them; only the agent's index knows of them. */
async function trackedThoughIgnored(at: WorkTree, { record }: SnapshotRequest, place: GitCall): Promise<string[]> {
  const indexFile = at.theirIndex;
  if ((await kindOf(indexFile)) !== "file") return [];
  if (record !== null && (await isIndexOfBase(indexFile, record))) return [];
  const listed = await git({ ...place, indexFile }, ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]);
  // An index git cannot read tracks nothing; the files stay in the workspace and `close` will not remove them.
  if (listed.code !== 0) return [];
  const paths = new Set(listed.stdout.toString("latin1").split("\0").slice(0, -1));
  const present: string[] = [];
  for (const path of paths)
    if (["file", "other"].includes(await kindOf(join(at.work, shownPath(path))))) present.push(path);
  return present;
}

async function addAll(place: GitCall, pathspecs: readonly string[], options: readonly string[] = []): Promise<void> {
  const args = ["add", "--all", ...options, "--pathspec-from-file=-", "--pathspec-file-nul"];
  const added = await git({ ...place, input: pathList(pathspecs) }, args);
  if (added.code === 0) return;
  if (/No space left|Read-only file|Input\/output|Too many open|quota exceeded/i.test(added.stderr))
    refuseGit(args, added);
  refuse({
    kind: "task_exec",
    message: `git cannot store a file of the workspace: ${added.stderr.split("\n", 1)[0] ?? ""}`.slice(0, 1_000),
    remedy: "Remove the file or make it readable.",
    evidence: added.stderr.slice(0, 4_000),
  });
}
