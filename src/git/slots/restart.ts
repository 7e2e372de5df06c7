// Workspaces and restarts of the machine. Files of an agent are not synced, so a power cut leaves some of them empty or
// missing, files of the base among them: taken for work, that would be merged. The tree's hash tells what is whole.

import { currentBoot } from "../../kit/process-identity.ts";
import { refuse } from "../refusal.ts";
import { type Slot, type SlotRecord, writeRecord } from "./slot.ts";

type Known = Pick<SlotRecord, "task" | "boot" | "baseTree" | "seen"> & {
  readonly candidate: { readonly tree: string } | null;
};

/** Within one boot a workspace is believed; after a restart only if its tree is one that was known before. */
export async function refuseTorn(record: Known, tree: string): Promise<void> {
  if (record.boot === (await currentBoot())) return;
  if ([record.baseTree, record.seen, record.candidate?.tree].includes(tree)) return;
  refuse({
    kind: "session_timeout",
    message: `the machine was restarted during ${record.task}: its workspace is not as it was last seen`,
    remedy: "Nothing: what is left of it is archived, and the task is tried again.",
  });
}

/** From here on the workspace is believed again, and known as it is. */
export async function noteSeen(slot: Slot, record: SlotRecord, tree: string): Promise<void> {
  const boot = await currentBoot();
  if (record.boot !== boot || record.seen !== tree) await writeRecord(slot, { ...record, boot, seen: tree });
}
