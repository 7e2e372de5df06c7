// The tree of a workspace as it stands, made with an index and objects of ours: the agent's own index may be stale,
// locked, unmerged or hostile, and nothing in the workspace changes.
import { join } from "node:path";
import type { CommitId } from "../../protocol/ids.ts";
import { copyIndex, kindOf } from "./files.ts";
import { type GitCall, git, gitBytes, gitPaths, gitText, pathList, refuseGit, shownPath } from "./git.ts";
import { refuse } from "./refusal.ts";
import { harnessFiles, literally, type Scratch, type Site } from "./site.ts";
import type { Slot, SlotRecord } from "./slot.ts";
import { putBackSubmodules, type Submodule, takeOutSubmodules } from "./submodules.ts";

export interface Snapshot {
  readonly tree: string;
  /** Git repositories inside the work tree that are not ignored: git would store a mere pointer to them. */
  readonly nested: readonly string[];
  /** Whether files are there that the tree does not hold: ignored ones, our own, nested repositories. */
  readonly leftovers: boolean;
}

export async function takeSnapshot(
  site: Site,
  slot: Slot,
  work: { readonly base: CommitId; readonly record: SlotRecord | null; readonly scratch: Scratch },
): Promise<Snapshot> {
  if ((await kindOf(slot.work)) !== "directory")
    refuse({
      kind: "env_setup",
      message: `the workspace ${slot.work} is gone`,
      remedy: "Its attempt has to start again.",
    });
  const place: GitCall = { ...work.scratch.place, workTree: slot.work };
  const submodules = await startFromBase(slot, work, place);
  const [nested, forced] = await Promise.all([
    gitPaths(place, ["ls-files", "-z", "--others", "--exclude-standard"]).then((paths) =>
      paths.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1)),
    ),
    trackedThoughIgnored(slot, place),
  ]);
  const skipped = [
    ...harnessFiles(site).map((pattern) => Buffer.from(pattern, "utf8").toString("latin1")),
    ...[...nested, ...submodules.map(({ path }) => path)].map(literally),
  ].flatMap(excluding);
  await addAll(place, [":(top)", ...skipped]);
  if (forced.length > 0)
    await addAll(place, [...forced.map((path) => `:(top,literal)${path}`), ...skipped], ["--force"]);
  const left = await gitBytes(place, [
    "ls-files",
    "-z",
    "--others",
    "--modified",
    "--directory",
    "--no-empty-directory",
  ]);
  await putBackSubmodules(slot.work, submodules, place);
  return { tree: await gitText(place, ["write-tree"]), nested, leftovers: left.length > 0 };
}

/** The backslash changes no meaning, but git complains of excluded paths that are ignored when it can read them plainly. */
const excluding = (pattern: string): string[] => [
  `:(top,exclude,glob)\\${pattern}`,
  `:(top,exclude,glob)\\${pattern}/**`,
];

/** Seeds the index with the base: what the base tracks stays tracked, even where it is ignored by now. */
async function startFromBase(
  slot: Slot,
  { base, record, scratch }: { base: CommitId; record: SlotRecord | null; scratch: Scratch },
  place: GitCall,
): Promise<readonly Submodule[]> {
  if (record?.base === base && (await kindOf(slot.index)) === "file") {
    await copyIndex(slot.index, scratch.place.indexFile);
    return record.submodules;
  }
  await gitBytes(place, ["read-tree", base]);
  return takeOutSubmodules(place);
}

/** Files the agent added with force are work although a rule ignores them; only the agent's index knows of them. */
async function trackedThoughIgnored(slot: Slot, place: GitCall): Promise<string[]> {
  const indexFile = join(slot.work, ".git", "index");
  if ((await kindOf(indexFile)) !== "file") return [];
  const listed = await git({ ...place, indexFile }, ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]);
  // An index git cannot read tracks nothing; the files stay in the workspace and `close` will not remove them.
  if (listed.code !== 0) return [];
  const paths = new Set(listed.stdout.toString("latin1").split("\0").slice(0, -1));
  const present: string[] = [];
  for (const path of paths)
    if (["file", "other"].includes(await kindOf(join(slot.work, shownPath(path))))) present.push(path);
  return present;
}

async function addAll(place: GitCall, pathspecs: readonly string[], options: readonly string[] = []): Promise<void> {
  const args = ["add", "--all", ...options, "--pathspec-from-file=-", "--pathspec-file-nul"];
  const added = await git({ ...place, input: pathList(pathspecs) }, args);
  if (added.code === 0) return;
  if (
    /No space left|Read-only file|Input\/output|Too many open|quota exceeded/i.test(added.stderr) ||
    added.code === -1
  )
    refuseGit(args, added);
  refuse({
    kind: "task_exec",
    message: `git cannot store a file of the workspace: ${added.stderr.split("\n", 1)[0] ?? ""}`.slice(0, 1_000),
    remedy: "Remove the file or make it readable.",
    evidence: added.stderr.slice(0, 4_000),
  });
}
