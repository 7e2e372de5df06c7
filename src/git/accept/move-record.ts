// What is under way with a checkout of the user's, on the disk before it begins: whoever comes after a crash finishes it.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { namingFile } from "../../kit/file-error.ts";
import { identifySelf, isAlive } from "../../kit/process-identity.ts";
import { ProcessIdentity } from "../../protocol/agent.ts";
import { CommitId, TaskId } from "../../protocol/ids.ts";
import { isMissing, readText, syncDirectory } from "../files.ts";
import { refuse } from "../refusal.ts";
import type { Site } from "../site.ts";

const MoveRecord = z.object({
  v: z.literal(1),
  owner: ProcessIdentity,
  branch: z.string(),
  ref: z.string(),
  from: CommitId,
  to: CommitId,
  checkout: z.object({ top: z.string(), gitDir: z.string() }),
  how: z.enum(["fast-forward", "merge", "squash", "pick"]),
  tasks: z.array(TaskId),
});
export type MoveRecord = z.infer<typeof MoveRecord>;

const recordFile = (site: Site): string => join(site.home, "accept.json");

/**
 * What an accept left that was cut short, now ours to finish; null if nothing was. Refused while another process is at
 * it. `exclusively`: of two that find the same record, one takes it over.
 */
export async function takeOverMove(site: Site): Promise<MoveRecord | null> {
  const found = await findMove(site);
  if (found === null) return null;
  const owner = await identifySelf();
  const taken = await site.exclusively(() => {
    if (readSync(site) !== found.text) return null;
    return writeSync(site, { ...found.record, owner });
  });
  return taken ?? atWork(found.record);
}

async function findMove(site: Site): Promise<{ readonly text: string; readonly record: MoveRecord } | null> {
  const text = await readText(recordFile(site), 1_000_000);
  if (text === null) return null;
  const record = MoveRecord.parse(JSON.parse(text));
  if (record.owner.pid !== process.pid && (await isAlive(record.owner))) atWork(record);
  return { text, record };
}

function atWork({ owner, branch }: MoveRecord): never {
  return refuse({
    kind: "usage",
    message: `process ${owner.pid} is bringing work into ${branch} just now`,
    remedy: "wait for it, then: harness accept",
  });
}

export async function beginMove(site: Site, move: Omit<MoveRecord, "v" | "owner">): Promise<MoveRecord> {
  const record: MoveRecord = { v: 1, owner: await identifySelf(), ...move };
  return site.exclusively(() => {
    const other = readSync(site);
    return other === null ? writeSync(site, record) : atWork(MoveRecord.parse(JSON.parse(other)));
  });
}

function readSync(site: Site): string | null {
  try {
    return readFileSync(recordFile(site), "utf8");
  } catch (error) {
    return isMissing(error) ? null : namingFile(recordFile(site))(error);
  }
}

function writeSync(site: Site, record: MoveRecord): MoveRecord {
  const draft = `${recordFile(site)}.tmp`;
  try {
    writeFileSync(draft, JSON.stringify(record), { mode: 0o600, flush: true });
  } catch (error) {
    namingFile(draft)(error);
  }
  renameSync(draft, recordFile(site));
  syncFolderSync(site.home);
  return record;
}

function syncFolderSync(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } catch (error) {
    namingFile(path)(error);
  } finally {
    closeSync(folder);
  }
}

export async function endMove(site: Site): Promise<void> {
  await rm(recordFile(site), { force: true });
  await syncDirectory(site.home);
}

const lockOf = ({ checkout }: MoveRecord): string => join(checkout.gitDir, "index.lock");
/** Names the move, not the process: who finishes it later holds the same lock. */
const textOf = ({ from, to }: MoveRecord): string => `harness accept ${from} ${to}\n`;

/**
 * The lock by which git keeps others from changing an index and, mostly, a branch that is checked out. It appears with
 * its text at once, so that a lock we left is never taken for another's, nor another's for ours.
 */
export async function lockIndex(record: MoveRecord): Promise<void> {
  const lock = lockOf(record);
  // One name for all: of those who are at it, the record allows one.
  const draft = `${lock}.harness`;
  await writeFile(draft, textOf(record)).catch(namingFile(draft));
  try {
    await link(draft, lock);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    if (!(await isOurLock(record)))
      refuse({
        kind: "usage",
        message: `git is at work in ${record.checkout.top} (${lock} is there)`,
        remedy: "wait until it has ended, then: harness accept",
      });
  } finally {
    await rm(draft, { force: true });
  }
}

async function isOurLock(record: MoveRecord): Promise<boolean> {
  const text = await readFile(lockOf(record), "utf8").catch((error: unknown) => {
    return isMissing(error) ? null : namingFile(lockOf(record))(error);
  });
  return text === textOf(record);
}

export async function unlockIndex(record: MoveRecord): Promise<void> {
  if (await isOurLock(record)) await rm(lockOf(record), { force: true });
}
