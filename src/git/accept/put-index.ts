// The user's index, replaced.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { copyIndex, syncDirectory, syncPath } from "../files.ts";
import type { Scratch } from "../site.ts";
import type { MoveRecord } from "./move-record.ts";

/** An index made in scratch takes the place of the user's, whole. Their lock is ours while that happens. */
export async function putIndex(scratch: Scratch, { checkout }: MoveRecord): Promise<void> {
  const draft = join(checkout.gitDir, "index.harness");
  await copyIndex(scratch.place.indexFile, draft);
  await syncPath(draft, 0);
  await rename(draft, join(checkout.gitDir, "index"));
  await syncDirectory(checkout.gitDir);
}
