// A folder that stands for /tmp, and locks as others leave them in it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ProcessIdentity } from "../../protocol/agent.ts";
import type { Store } from "../../stores/store.ts";
import { lockPath } from "./names.ts";
import { createVisibleLock, type Lookout, type VisibleLockParts } from "./visible-lock.ts";

export const root = "/a/project";
export const self: ProcessIdentity = { host: "here", bootId: "boot", pid: 10, group: 10, startTime: "1" };

/** A store that is alone in the world. */
export const alone: Pick<Store, "exclusively"> = { exclusively: async (work) => work() };

export class Base {
  readonly folder = mkdtempSync(join(tmpdir(), "harness-lock-"));
  readonly path = lockPath(root, this.folder);
  /** Pids that run. */
  readonly alive = new Set<number>();
  readonly lookout: Lookout = {
    isAlive: async ({ pid }) => this.alive.has(pid),
    isAliveSince: async (pid) => this.alive.has(pid),
  };

  lock(parts: Partial<VisibleLockParts> = {}) {
    return createVisibleLock({ root, store: alone, lookout: this.lookout, base: this.folder, ...parts });
  }

  /** Puts files into the lock's directory, as somebody else would. */
  leave(files: Readonly<Record<string, string>>, path = this.path): void {
    mkdirSync(path, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  }
  leaveOwner(owner: Partial<ProcessIdentity>, nonce = "theirs"): void {
    const pid = owner.pid ?? 20;
    this.leave({ pid: `${pid}\n`, "owner.json": JSON.stringify({ ...self, pid, ...owner, nonce }) });
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), "utf8");
  }
  /** Entries of the folder; `*` stands for the lock's own name. */
  entries(): readonly string[] {
    const name = basename(this.path);
    return readdirSync(this.folder).map((entry) => (entry.startsWith(name) ? `*${entry.slice(name.length)}` : entry));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
