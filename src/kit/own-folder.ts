// Folders that belong to a process and go with it; what processes left that were killed goes when the next makes one.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAliveSince } from "./process-identity.ts";

/** Of another machine nothing can be said, so its folders are left alone: hence the host in the name. */
const ownersPrefix = (name: string): string =>
  `${name}-${createHash("sha256").update(hostname()).digest("hex").slice(0, 8)}-`;

/** A new folder `<name>-…` in one that is there. Its maker removes it. */
export async function makeOwnFolder(parent: string, name: string): Promise<string> {
  const prefix = ownersPrefix(name);
  for (const left of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    const path = join(parent, left);
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    const pid = Number(/^\d+/.exec(left.slice(prefix.length))?.[0]);
    if (madeAt === undefined || Number.isNaN(pid) || (await isAliveSince(pid, madeAt))) continue;
    rmSync(path, { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}
