// Reads a rescue back before anything is discarded: a copy nobody has read is a hope.
import { createHash } from "node:crypto";
import type { RescueEntry } from "../../protocol/rescue.ts";
import { gitText } from "../git.ts";
import { refuse } from "../refusal.ts";
import { refuseUnkept } from "./place.ts";
import { readObjects } from "./read-objects.ts";
import { hashInVault } from "./vault.ts";

export interface Written {
  readonly gitDir: string;
  readonly vault: string;
  readonly ref: string;
  readonly commit: string;
  readonly entries: readonly RescueEntry[];
  /** All that the references reach. */
  readonly objects: readonly string[];
}

/** Refused by the name of the first entry whose bytes are not there again. */
export async function verifyRescue({ gitDir, vault, ref, commit, entries, objects }: Written): Promise<void> {
  await verifyObjects(gitDir, { ref, commit, objects });
  await verifyBlobs(gitDir, entries);
  for (const entry of entries)
    if (entry.kept.in === "vault" && hashInVault(vault, entry) !== entry.sha256)
      refuseUnkept(entry.path, "its copy in the vault is not the same");
}

async function verifyObjects(
  gitDir: string,
  { ref, commit, objects }: Pick<Written, "ref" | "commit" | "objects">,
): Promise<void> {
  const input = [ref, ...objects].map((name) => `${name}\n`).join("");
  const checked = (await gitText({ gitDir, input }, ["cat-file", "--batch-check=%(objectname)"])).split("\n");
  const lost = checked.findIndex((line) => line.endsWith("missing"));
  if (checked[0] !== commit || lost !== -1)
    refuse({
      kind: "env_setup",
      message: `the rescue repository ${gitDir} lacks ${checked[0] === commit ? objects[lost - 1] : ref}`,
      remedy: "Nothing was discarded. See that the disk is sound and has room.",
    });
}

async function verifyBlobs(gitDir: string, entries: readonly RescueEntry[]): Promise<void> {
  const byBlob = new Map<string, RescueEntry>();
  for (const entry of entries) if (entry.kept.in === "git" && entry.blob !== null) byBlob.set(entry.blob, entry);
  const wanted = [...byBlob].map(([id, { size }]) => ({ id, size }));
  await readObjects(gitDir, wanted, (id, content) => {
    const entry = byBlob.get(id);
    const sum = content === null ? "" : createHash("sha256").update(content).digest("hex");
    if (entry !== undefined && sum !== entry.sha256)
      refuseUnkept(entry.path, "its copy in the repository is not the same");
  });
}
