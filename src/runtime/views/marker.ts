// `.harness-active`: there while work is left, so that agent hooks know whether to speak at all (S3).
import { rm } from "node:fs/promises";
import type { ReadonlyState } from "../../core/state.ts";
import { markerFile } from "../place.ts";
import { codeOf, writeNew } from "./durable-file.ts";

/** Something is pending, in progress or may be tried again. What is blocked waits for nothing that could still come. */
export function isWorkLeft(state: ReadonlyState): boolean {
  if (state.mission === null) return false;
  if (state.counts.pending > 0 || state.working.size > 0) return true;
  if (state.counts.failed === 0) return false;
  for (const { phase } of state.tasks.values()) if (phase.status === "failed" && !phase.final) return true;
  return false;
}

/** `mission` null removes it. One that is there stays as it is, also if somebody made it by hand. */
export async function placeMarker(root: string, mission: string | null): Promise<void> {
  const path = markerFile(root);
  if (mission === null) return rm(path, { force: true });
  // Not by a temporary file, which a crash would leave in the user's project: an empty marker counts as well.
  await writeNew(path, `${mission}\n`, 0o644).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}
