// The inbox of a project, for surfaces.
import { join } from "node:path";
import { identifySelf, isAlive } from "../kit/process-identity.ts";
import { takeLock } from "../kit/process-lock.ts";
import { failed, type Outcome, succeeded } from "../protocol/failure.ts";
import { type InboxOutcome, type Processed, processInbox, recordsIn } from "../runtime/inbox/process-inbox.ts";
import { rawResultsIn, type Untaken } from "../runtime/inbox/raw-results.ts";
import type { Project } from "../runtime/project.ts";

export type { InboxOutcome };

export interface InboxListing {
  readonly waiting: readonly (Omit<Processed, "files"> & { readonly at: string })[];
  readonly untaken: readonly Untaken[];
  /** How many were processed before. */
  readonly processed: number;
}

/** What lies there. Nothing is changed. */
export function lookIntoInbox({ root }: Project): InboxListing {
  const { results, untaken } = rawResultsIn(root);
  const waiting = results.map(({ record: { source, task, title, bytes, at } }) => ({ source, task, title, bytes, at }));
  return { waiting, untaken, processed: recordsIn(root).records.length };
}

export async function emptyInbox({ root, home }: Project): Promise<Outcome<InboxOutcome>> {
  const lock = await takeLock(join(home, "inbox.lock"), { self: identifySelf, isAlive });
  if (!lock.ok) {
    const who = lock.holder === null ? "others" : `process ${lock.holder.pid}`;
    return failed({
      kind: "usage",
      message: `the inbox is being processed by ${who}`,
      remedy: "say it again after that",
    });
  }
  try {
    return succeeded(await processInbox(root));
  } finally {
    await lock.release();
  }
}
