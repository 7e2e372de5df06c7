// A lane's directories and the record of who owns them. A workspace is there or not by one rename; the record is beside
// it, never inside, and is written before it. Directories with work are renamed, never deleted.
import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, renameSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import { namingFile } from "../../kit/file-error.ts";
import { currentBoot } from "../../kit/process-identity.ts";
import type { Failure } from "../../protocol/failure.ts";
import { CommitId, TaskId } from "../../protocol/ids.ts";
import {
  hashOfFile,
  isMissing,
  kindOf,
  readText,
  replaceWhole,
  syncDirectory,
  writeSmall,
  writeSynced,
  writeWhole,
} from "../files.ts";
import { refuse } from "../refusal.ts";
import type { Site } from "../site.ts";
import type { WorkTree } from "../snapshot.ts";

const SlotRecord = z.object({
  v: z.literal(1),
  task: TaskId,
  attempt: z.number().int().nonnegative(),
  base: CommitId,
  baseTree: z.string(),
  /** With the work of an earlier attempt in it; missing: the base's tree. */
  startTree: z.string().optional(),
  /** SHA-256 of the agent's index as it was made. */
  freshIndex: z.string(),
  /** Submodules of the base, path byte by byte: they are kept as they are. */
  submodules: z.array(z.object({ path: z.string(), commit: CommitId })),
  /** The last candidate, and the tree of the work it was made from. */
  candidate: z
    .object({
      tree: z.string(),
      commit: CommitId,
      /** SHA-256 of the index that was kept of that tree, with the stamps its files had. */
      index: z.string().optional(),
    })
    .nullable(),
  /** It was brought here from another base: which, and the commit that keeps the work as it was there. */
  rebased: z.object({ from: CommitId, kept: CommitId }).optional(),
  /** In which boot of the machine the workspace was made, or found whole; "" when nobody noted it. */
  boot: z.string().default(""),
  /** The tree when it was last looked at. */
  seen: z.string().nullable().default(null),
  /** Given back: nothing in it is anybody's, and the next one to open the slot takes it over. */
  free: z.boolean().default(false),
});
export type SlotRecord = z.infer<typeof SlotRecord>;
export type Owner = Pick<SlotRecord, "task" | "attempt">;

export interface Slot extends Omit<WorkTree, "theirIndex"> {
  readonly number: number;
  readonly directory: string;
  readonly record: string;
  /** The highest fence the slot was opened with; outlives its owners. */
  readonly fence: string;
  /** Index of the last candidate's tree as it was committed. */
  readonly committedIndex: string;
  /** How it is tied to the user's repository, if it is. */
  readonly tie: string;
}

export function slotOf(site: Site, slot: number): Slot {
  const directory = join(site.home, "lanes", String(slot));
  const work = join(directory, "work");
  return {
    number: slot,
    directory,
    work,
    fence: join(directory, "fence"),
    record: `${work}.json`,
    tie: `${work}.tie.json`,
    index: `${work}.index`,
    settledIndex: `${work}.settled.index`,
    committedIndex: `${work}.committed.index`,
  };
}

/** The slot whose workspace was answered as `path`. */
export function slotAt(site: Site, path: string): Slot {
  const lanes = join(site.home, "lanes");
  const number = path.startsWith(`${lanes}/`) ? Number.parseInt(path.slice(lanes.length + 1), 10) : Number.NaN;
  const slot = slotOf(site, number);
  if (Number.isNaN(number) || join(slot.work, site.rootPrefix) !== path)
    refuse({ kind: "env_setup", message: `${path} is not a workspace of ${site.branch}` });
  return slot;
}

export async function readRecord(slot: Slot): Promise<SlotRecord | null> {
  const text = await readText(slot.record, 16_000_000);
  if (text === null) return null;
  try {
    return SlotRecord.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not ours or damaged: then nobody owns the slot, and what is in it gets archived.
    return null;
  }
}

/** Whether the index that was kept of the last candidate is really of that one; a crash may leave another's. */
export async function hasCommittedIndex(slot: Slot, { boot, candidate }: SlotRecord): Promise<boolean> {
  if (candidate?.index === undefined || boot !== (await currentBoot())) return false;
  const path = slot.committedIndex;
  return (await kindOf(path)) === "file" && (await hashOfFile(path)) === candidate.index;
}

/** Who asks about a workspace that was given back asks too late. */
export function refuseFree(slot: Slot, record: SlotRecord | null): void {
  if (record?.free === true)
    refuse({ kind: "env_setup", message: `the workspace ${slot.work} was given back`, remedy: "Open it again." });
}

/** Whether the slot was opened with a higher fence: the caller is then a run that was replaced. */
export async function isReplaced(slot: Slot, fence: number): Promise<boolean> {
  return fence < Number((await readText(slot.fence, 64)) ?? 0);
}

export async function refuseReplaced(slot: Slot, fence: number): Promise<void> {
  if (await isReplaced(slot, fence)) refuse(replacedBy(slot, fence));
}

const replacedBy = (slot: Slot, fence: number): Failure => ({
  kind: "env_setup",
  message: `${slot.work} was opened with a higher fence than ${fence}: this run was replaced`,
});

/**
 * It holds for those who are alive. Of a power cut nobody is left whom a lost or torn one would keep out, so nothing
 * waits for the disk here.
 */
export async function takeFence(site: Site, slot: Slot, fence: number): Promise<void> {
  const now = await readText(slot.fence, 64);
  if (fence < Number(now ?? 0)) refuse(replacedBy(slot, fence));
  if (now === `${fence}\n`) return;
  const draft = draftOf(slot.fence, fence);
  writeSmall(draft, `${fence}\n`, { flag: "wx", mode: 0o600 });
  await fenced(site, slot, fence, () => renameSync(draft, slot.fence));
}

/** Nobody takes a higher fence between the look at it and the rename: whoever was replaced moves nothing (L3). */
export async function moveFenced(site: Site, slot: Slot, fence: number, { from, to }: Move): Promise<void> {
  createFolderDurably(dirname(to), 0o700);
  await takeOut(site, slot, fence, { from, to });
  await Promise.all([...new Set([dirname(to), dirname(from)])].map(syncDirectory));
}

/**
 * As `moveFenced`, out of the slot into scratch space: if a power cut undoes it, the slot holds what is nobody's, as
 * before. The move back in syncs both.
 */
export const takeOut = (site: Site, slot: Slot, fence: number, { from, to }: Move): Promise<void> =>
  fenced(site, slot, fence, () => renameEven(from, to));

/** A few calls between which nobody takes a higher fence. */
export const fenced = (site: Site, slot: Slot, fence: number, act: () => void): Promise<void> =>
  site.exclusively(() => {
    if (fence < fenceNow(slot)) refuse(replacedBy(slot, fence));
    act();
  });

interface Move {
  readonly from: string;
  readonly to: string;
}

function fenceNow(slot: Slot): number {
  try {
    return Number(readFileSync(slot.fence, "utf8"));
  } catch (error) {
    return isMissing(error) ? 0 : namingFile(slot.fence)(error);
  }
}

/** A directory made read-only cannot be moved by its owner. */
function renameEven(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EACCES")) throw error;
    chmodSync(from, 0o700);
    renameSync(from, to);
  }
}

export const writeRecord = (slot: Slot, record: SlotRecord): Promise<void> => writeWhole(slot.record, textOf(record));

/** Before a workspace is moved into the slot, which syncs both. With the record before it, it is nobody's, as it is. */
export const announceRecord = (slot: Slot, record: SlotRecord): Promise<void> =>
  replaceWhole(slot.record, textOf(record));

const textOf = (record: SlotRecord): string => `${JSON.stringify(record)}\n`;

/** As `moveFenced`, for a small file beside the workspace. */
export async function writeFenced(site: Site, slot: Slot, fence: number, file: string, text: string): Promise<void> {
  await moveFenced(site, slot, fence, { from: await writeDraft(file, fence, text), to: file });
}

const draftOf = (file: string, fence: number): string => `${file}.${fence}.${randomBytes(6).toString("hex")}.new`;

async function writeDraft(file: string, fence: number, text: string): Promise<string> {
  const draft = draftOf(file, fence);
  await writeSynced(draft, text);
  return draft;
}

/** The tie goes first: one without a record is of a place that was never handed out. */
export async function forget(slot: Slot): Promise<void> {
  for (const path of [slot.tie, slot.record, slot.index, slot.settledIndex, slot.committedIndex])
    await unlink(path).catch((error) => {
      if (!isMissing(error)) throw error;
    });
  await syncDirectory(slot.directory);
}
