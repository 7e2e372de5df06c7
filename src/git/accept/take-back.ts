// Takes back what a move has done to a checkout before its branch moved. Only bytes that a commit holds are replaced:
// a file is what it was before, what it was to become, or the beginning of that, else it is somebody's work.
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { copyIndex, isMissing } from "../files.ts";
import { git, gitBytes, pathList } from "../git.ts";
import { refuse } from "../refusal.ts";
import type { Scratch, Site } from "../site.ts";
import {
  blobId,
  type ChangedFile,
  changedFiles,
  type FileOnDisk,
  isSubmodule,
  named,
  onDisk,
  placeIn,
} from "./changed-files.ts";
import type { MoveRecord } from "./move-record.ts";
import { putIndex } from "./put-index.ts";

/** Files and index are those of `from` when it answers; refused, with nothing changed, where somebody worked meanwhile. */
export async function takeBack(site: Site, scratch: Scratch, record: MoveRecord): Promise<void> {
  const { from, to, checkout } = record;
  const place = { gitDir: site.ledger, workTree: checkout.top, indexFile: scratch.place.indexFile };
  await copyIndex(join(checkout.gitDir, "index"), place.indexFile);
  const tree = (await git(place, ["write-tree"])).stdout.toString("utf8").trim();
  const [before, after] = [await treeOf(site, from), await treeOf(site, to)];
  if (tree !== before && tree !== after) somebodyWorked(record, "its index");
  const changes = await changedFiles(site, from, to);
  const states = await Promise.all(changes.map((change) => stateOf(site, checkout.top, change)));
  const foreign = changes.filter((_, at) => states[at] === "foreign").map(({ path }) => path);
  if (foreign.length > 0) somebodyWorked(record, named(foreign));
  const touched = changes.filter((_, at) => states[at] === "touched");
  const isMoved = tree === after && before !== after;
  if (touched.length === 0 && !isMoved) return;
  if (isMoved) await gitBytes(place, ["read-tree", "-m", to, from]);
  for (const { path, before: version } of touched) if (version === null) await removeFile(checkout.top, path);
  const lost = touched.filter(({ before: version }) => version !== null).map(({ path }) => path);
  // Directories of the other side may stand where files were; what else is in one is somebody's, and git would remove it.
  for (const path of lost) {
    await rmdir(placeIn(checkout.top, path)).catch(() => undefined);
    if ((await onDisk(placeIn(checkout.top, path))).kind === "directory") somebodyWorked(record, named([path]));
  }
  if (lost.length > 0)
    await gitBytes({ ...place, input: pathList(lost) }, ["checkout-index", "-f", "-u", "-z", "--stdin"]);
  await git(place, ["update-index", "-q", "--refresh"]);
  await putIndex(scratch, record);
}

const treeOf = async (site: Site, commit: string): Promise<string> =>
  (await gitBytes({ gitDir: site.ledger }, ["rev-parse", `${commit}^{tree}`])).toString("utf8").trim();

function somebodyWorked({ branch, checkout }: MoveRecord, what: string): never {
  return refuse({
    kind: "usage",
    message: `an earlier accept into ${branch} was cut short, and since then somebody changed ${what} in ${checkout.top}`,
    remedy: "commit or stash what is there (git status), then: harness accept",
  });
}

type State = "untouched" | "touched" | "foreign";

async function stateOf(site: Site, top: string, { path, before, after }: ChangedFile): Promise<State> {
  // git leaves the inside of a submodule alone.
  if (isSubmodule(before) || isSubmodule(after)) return "untouched";
  const found = await onDisk(placeIn(top, path));
  if (found.kind === "missing") return before === null ? "untouched" : "touched";
  // The files of a directory that stands here are judged by their own names.
  if (found.kind === "directory") return before === null ? "untouched" : "touched";
  if (found.kind !== "file") return "foreign";
  const id = blobId(site.user.format, found.bytes);
  if (id === before?.blob) return id === after?.blob || before.mode !== after?.mode ? "touched" : "untouched";
  return after !== null && (id === after.blob || (await isBeginning(site, found, after.blob))) ? "touched" : "foreign";
}

/** git was killed while it wrote. */
async function isBeginning(site: Site, { bytes }: FileOnDisk, blob: string): Promise<boolean> {
  const whole = await gitBytes({ gitDir: site.ledger }, ["cat-file", "blob", blob]);
  return whole.subarray(0, bytes.length).equals(bytes);
}

async function removeFile(top: string, path: string): Promise<void> {
  await rm(placeIn(top, path), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    try {
      await rmdir(placeIn(top, folder));
    } catch (error) {
      // Something else is in it, or it went before.
      if (!isMissing(error)) return;
    }
  }
}
