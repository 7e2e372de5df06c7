// Conflict markers: looked for in the files themselves, because an agent's word for it is not evidence.
import { mergeWithConflicts, type TreesToMerge } from "./conflicts.ts";
import { type GitCall, gitBytes, gitText } from "./git.ts";

const marker = /^(<{7}|\|{7}|={7}|>{7})( .*)?$/;
/** Larger ones are not merged by lines in any project we know of, and would not fit into an answer of git's. */
const largest = 32 * 1024 * 1024;

interface Change {
  readonly before: string;
  readonly after: string;
}

/** Work that was in conflict, and was brought onto `base`. */
export interface Repair {
  /** The work as it was before, a commit on the base it had. */
  readonly kept: string;
  readonly base: string;
  /** As it stands now. */
  readonly tree: string;
}

/** Of the files that were in conflict, those with a marker line that neither side had, byte by byte. */
export async function unresolvedFiles(call: GitCall, { kept, base, tree }: Repair): Promise<readonly string[]> {
  const { conflicts, tree: laidOut } = await mergeWithConflicts(call, sidesOf(kept, base));
  const [now, own, asLaidOut] = await Promise.all([
    changesIn(call, base, tree),
    changesIn(call, `${kept}^`, kept),
    changesIn(call, base, laidOut),
  ]);
  const left: string[] = [];
  for (const path of conflicts) {
    const change = now.get(path);
    if (change === undefined) continue;
    // A side that git put beside the other under a name of its own: nobody wants a file of that name.
    const beside = /~[0-9a-f]{40,64}(_\d+)?$/.test(path) && asLaidOut.get(path)?.after === change.after;
    if (beside || (await isMarked(call, { ...change, own: own.get(path)?.after }))) left.push(path);
  }
  return left;
}

export const sidesOf = (kept: string, head: string): TreesToMerge => ({
  base: `${kept}^`,
  head,
  tree: `${kept}^{tree}`,
});

/** Which of the files hold both sides between markers, as a conflict was laid out in `tree`. */
export async function markedFiles(
  call: GitCall,
  { base, tree, kept }: Repair,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const [now, own] = await Promise.all([changesIn(call, base, tree), changesIn(call, `${kept}^`, kept)]);
  const marked = new Set<string>();
  for (const path of paths) {
    const change = now.get(path);
    if (change !== undefined && (await isMarked(call, { ...change, own: own.get(path)?.after }))) marked.add(path);
  }
  return marked;
}

async function isMarked(call: GitCall, { before, after, own }: Change & { own: string | undefined }): Promise<boolean> {
  const lines = (await linesOf(call, after)).filter((line) => marker.test(line));
  if (lines.length === 0) return false;
  const known = new Set([...(await linesOf(call, before)), ...(await linesOf(call, own ?? nothing))]);
  return lines.some((line) => !known.has(line));
}

const nothing = "0";

async function linesOf(call: GitCall, blob: string): Promise<readonly string[]> {
  if (/^0+$/.test(blob) || Number(await gitText(call, ["cat-file", "-s", blob])) > largest) return [];
  return (await gitBytes(call, ["cat-file", "blob", blob])).toString("latin1").split(/\r?\n/);
}

/** Regular files that differ, with their contents' ids. */
async function changesIn(call: GitCall, from: string, to: string): Promise<ReadonlyMap<string, Change>> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", from, to, "--"];
  const fields = (await gitBytes(call, args)).toString("latin1").split("\0").slice(0, -1);
  const changes = new Map<string, Change>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [, mode, before = "", after = ""] = (fields[i] ?? "").split(" ");
    if (mode?.startsWith("100")) changes.set(fields[i + 1] ?? "", { before, after });
  }
  return changes;
}
