// Brings a commit that was made in scratch space into the user's repository: checked, on the disk, and named there. The
// user may collect garbage at any moment, and until it is named it is garbage.
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { namingFile } from "../kit/file-error.ts";
import type { CommitId } from "../protocol/ids.ts";
import { kindOf } from "./files.ts";
import { git, gitText, refuseGit } from "./git.ts";
import { refuse } from "./refusal.ts";
import type { Scratch, Site } from "./site.ts";

export interface HandOver {
  readonly commit: CommitId;
  /** In the user's repository already, with all that they need. */
  readonly known: readonly CommitId[];
  /** Makes the reference that keeps it; may be called again. */
  name(): Promise<void>;
}

/** Fewer are written one by one and each synced; more stay together in the pack they came in. */
const unpackLimit = 20;
const maxTries = 5;

export async function handOver(site: Site, scratch: Scratch, { commit, known, name }: HandOver): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const brought = await bring(site, scratch, commit, known);
    await name();
    // From here on it stays; what a collection took before is brought once more.
    if (await isThere(site, brought, commit, known)) return;
  }
  refuse({
    kind: "env_setup",
    message: `unnamed objects vanish from ${site.user.objectsDir} at once, again and again`,
    remedy: "See what collects garbage there all the time (git gc, git prune), then: harness run",
  });
}

/** Ids of the objects, if they were few. */
async function bring(
  site: Site,
  scratch: Scratch,
  commit: CommitId,
  known: readonly CommitId[],
): Promise<readonly string[] | null> {
  const revisions = { ...scratch.place, input: [commit, ...known.map((id) => `^${id}`), ""].join("\n") };
  const name = await gitText(revisions, ["pack-objects", "--revs", "-q", join(scratch.directory, "candidate")]);
  const pack = join(scratch.directory, `candidate-${name}`);
  const count = await objectsIn(`${pack}.pack`);
  const few = count < unpackLimit;
  // Both check each object as `transfer.fsckObjects` does, and that nothing they point to is missing.
  const args = few ? ["unpack-objects", "-q", "--strict"] : ["index-pack", "--stdin", "--strict"];
  const taken = await git({ gitDir: site.user.commonDir, inputFile: `${pack}.pack`, durable: true }, args);
  if (taken.code !== 0 && taken.stderr.includes("fsck error"))
    refuse({
      kind: "task_exec",
      message: `git finds the work malformed: ${taken.stderr.split("\n", 1)[0] ?? ""}`.slice(0, 1_000),
      evidence: taken.stderr.slice(0, 4_000),
    });
  if (taken.code !== 0) refuseGit(args, taken);
  return few ? idsIn(await readFile(`${pack}.idx`).catch(namingFile(`${pack}.idx`)), count, commit.length / 2) : null;
}

async function objectsIn(pack: string): Promise<number> {
  const file = await open(pack, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0).catch(namingFile(pack));
    return buffer.readUInt32BE(8);
  } finally {
    await file.close();
  }
}

/** Of a pack's index, as git writes it: a mark and a version, 256 counts, then the ids in order. */
const idsIn = (index: Buffer, count: number, width: number): readonly string[] =>
  Array.from({ length: count }, (_, nth) => {
    const at = 8 + 256 * 4 + nth * width;
    return index.subarray(at, at + width).toString("hex");
  });

/** Told by their files where that is enough: no process is started for it. */
async function isThere(
  site: Site,
  brought: readonly string[] | null,
  commit: CommitId,
  known: readonly CommitId[],
): Promise<boolean> {
  if (brought !== null) {
    const fileOf = (id: string): string => join(site.user.objectsDir, id.slice(0, 2), id.slice(2));
    const kinds = await Promise.all(brought.map((id) => kindOf(fileOf(id))));
    if (kinds.every((kind) => kind === "file")) return true;
  }
  const args = ["rev-list", "--objects", "--no-object-names", "--quiet", "--end-of-options", commit];
  const whole = await git({ gitDir: site.user.commonDir }, [...args, ...known.map((id) => `^${id}`), "--"]);
  return whole.code === 0;
}
