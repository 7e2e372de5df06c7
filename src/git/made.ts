// What a set-up made in a checkout: noted beside it, out of the reach of whoever works there. It stays when the checkout
// is used again, is no work and no loss; everything else that no commit holds is.
import { rmSync } from "node:fs";
import * as z from "zod";
import { currentBoot } from "../kit/process-identity.ts";
import { readText, writeWhole } from "./files.ts";
import { fingerprintOf, isAsMade } from "./fingerprint.ts";

const MadeRecord = z.object({
  v: z.literal(1),
  /** A set-up that is at work, or did not end well, was making: nobody else has worked in the checkout since. */
  state: z.enum(["making", "made"]),
  /** What it was made from; "" when it cannot be told later whether it still is as it was made. */
  key: z.string(),
  /** Files are not synced: what an earlier boot made may be torn. */
  boot: z.string(),
  /** The topmost paths, from the checkout's top. */
  roots: z.array(z.string()),
});
export type MadeRecord = z.infer<typeof MadeRecord>;
const Lines = z.array(z.tuple([z.string(), z.string()]));

const recordOf = (checkout: string): string => `${checkout}.setup.json`;
const fingerprintFile = (checkout: string): string => `${checkout}.setup.files`;
const longest = 64 * 1024 * 1024;

/** Null when nothing was set up in the checkout. */
export async function readMade(checkout: string): Promise<MadeRecord | null> {
  return parsed(await readText(recordOf(checkout), longest), MadeRecord);
}

/**
 * Paths that a set-up made in a checkout of ours, from its top: no work, and no loss. For whoever keeps, rescues or
 * archives what is in a checkout.
 */
export async function madePathsIn(checkout: string): Promise<readonly string[]> {
  return (await readMade(checkout))?.roots ?? [];
}

/** Whether a path that git lists is one of those, or below one. Byte by byte, as git lists it. */
export function isAmong(roots: readonly string[], listed: string): boolean {
  const path = Buffer.from(listed.replace(/\/$/, ""), "latin1").toString("utf8");
  return roots.some((root) => path === root || path.startsWith(`${root}/`));
}

type Write = (file: string, text: string) => Promise<void>;

/** From here on whatever appears in the checkout is a set-up's, and nobody else's. */
export async function noteMaking(checkout: string, write: Write = writeWhole): Promise<void> {
  const record: MadeRecord = { v: 1, state: "making", key: "", boot: await currentBoot(), roots: [] };
  await write(recordOf(checkout), JSON.stringify(record));
}

export async function noteMade(
  checkout: string,
  { key, roots }: Pick<MadeRecord, "key" | "roots">,
  write: Write = writeWhole,
): Promise<void> {
  const made = await fingerprintOf(checkout, roots);
  await write(fingerprintFile(checkout), JSON.stringify([...(made ?? [])]));
  const record: MadeRecord = { v: 1, state: "made", key: made === null ? "" : key, boot: await currentBoot(), roots };
  await write(recordOf(checkout), JSON.stringify(record));
}

/** Whether all that was made is there, unchanged and of this boot. `at` is where the checkout lies now. */
export async function isStillMade(
  checkout: string,
  { at = checkout, added = "remove" }: { readonly at?: string; readonly added?: "remove" | "look" } = {},
): Promise<boolean> {
  const record = await readMade(checkout);
  if (record === null || record.key === "" || record.boot !== (await currentBoot())) return false;
  const lines = parsed(await readText(fingerprintFile(checkout), longest), Lines);
  return lines !== null && isAsMade(at, { roots: record.roots, made: new Map(lines), added });
}

/** At once, so that it can be done where nobody comes between. */
export function forgetMade(checkout: string): void {
  for (const file of [recordOf(checkout), fingerprintFile(checkout)]) rmSync(file, { force: true });
}

function parsed<T>(text: string | null, schema: z.ZodType<T>): T | null {
  if (text === null) return null;
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Damaged: then nothing is known of it, and a set-up begins anew.
    return null;
  }
}

/** A root as a pattern for `git clean --exclude` that matches nothing else. */
export const excluding = (root: string): string => `--exclude=/${root.replace(/[\\*?[ ]/g, "\\$&")}`;
