// Where the work in a workspace stands, read from objects alone: nothing of it is run, and no link is followed.
import { checklistIn, isChecklistName } from "../kit/checklist.ts";
import type { CommitId } from "../protocol/ids.ts";
import { longestStanding as longest, type Standing } from "../protocol/standing.ts";
import { type GitPlace, git, shownPath } from "./git.ts";

const longestPath = 500;
/** A larger file is no list that anybody ticks off. */
const longestList = 200_000;

interface Work {
  readonly base: CommitId;
  readonly tree: string;
  /** The state root from the top of the repository; "" when it is the top. */
  readonly rootPrefix: string;
}

/** `place` must see the objects of the tree. */
export async function filesStanding(place: GitPlace, work: Work): Promise<Omit<Standing, "commits">> {
  return { changed: await changedIn(place, work), lists: await listsIn(place, work) };
}

/** Newest first; `place` must see the agent's objects. What cannot be read is not told. */
export async function commitSubjects(place: GitPlace, base: CommitId, head: CommitId): Promise<readonly string[]> {
  const args = ["rev-list", "--first-parent", `--max-count=${longest.commits}`, "--encoding=UTF-8"];
  const listed = await git(place, [...args, "--no-commit-header", "--format=%s%x00", head, "--not", base, "--"]);
  if (listed.code !== 0) return [];
  const subjects = listed.stdout.toString("utf8").split("\0").slice(0, -1);
  return subjects.map((subject) => subject.trim().slice(0, longest.subject)).filter((subject) => subject !== "");
}

async function changedIn(place: GitPlace, { base, tree }: Work): Promise<Standing["changed"]> {
  const plain = ["--no-ext-diff", "--no-textconv", "--no-renames"];
  const told = await git(place, ["diff-tree", "-r", "-z", "--numstat", ...plain, base, tree]);
  const entries = told.code === 0 ? told.stdout.toString("latin1").split("\0").slice(0, -1) : [];
  const files = entries.map((entry) => {
    const [added = "", removed = "", path = ""] = entry.split("\t", 3);
    return { path: pathIn(entry, path), added: lines(added), removed: lines(removed) };
  });
  const size = (file: (typeof files)[number]): number => (file.added ?? 0) + (file.removed ?? 0);
  return {
    files: files.length,
    added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
    removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
    most: files.sort((a, b) => size(b) - size(a)).slice(0, longest.files),
  };
}

/** A name may hold tabs of its own. */
const pathIn = (entry: string, path: string): string =>
  shownPath(path === "" ? "" : entry.slice(entry.indexOf("\t", entry.indexOf("\t") + 1) + 1)).slice(0, longestPath);

const lines = (counted: string): number | null => (counted === "-" ? null : Number(counted));

async function listsIn(place: GitPlace, { tree, rootPrefix }: Work): Promise<Standing["lists"]> {
  const listed = await git(place, ["ls-tree", "-z", "-l", rootPrefix === "" ? tree : `${tree}:${rootPrefix}`]);
  const entries = listed.code === 0 ? listed.stdout.toString("latin1").split("\0") : [];
  const lists: Standing["lists"] = [];
  for (const entry of entries) {
    const [, id = "", size = "", name = ""] = /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(entry) ?? [];
    if (id === "" || !isChecklistName(name) || Number(size) > longestList) continue;
    const blob = await git(place, ["cat-file", "blob", id]);
    const list =
      blob.code === 0 ? checklistIn(blob.stdout.toString("utf8"), { ...longest, length: longest.item }) : null;
    if (list !== null) lists.push({ path: shownPath(name).slice(0, longestPath), ...list, next: [...list.next] });
    if (lists.length === longest.lists) break;
  }
  return lists;
}
