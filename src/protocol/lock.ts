// The visible lock of a state root (rule L1): what it holds, and the words in which it is refused.
import * as z from "zod";
import { ProcessIdentity } from "./agent.ts";
import type { Failure } from "./failure.ts";

/** `owner.json`, beside the one-line `pid`. The nonce names this holding of the lock, not only its process. */
export const LockOwner = ProcessIdentity.extend({ nonce: z.string().min(1) });
export type LockOwner = z.infer<typeof LockOwner>;

const usage = (message: string, remedy: string): Failure => ({ kind: "usage", message, remedy });

// The messages are the seed's to the letter: scripts look for them.
export const sessionActive = (pid: number, remedy: string): Failure =>
  usage(`Another harness session is active (pid=${pid})`, remedy);
export const lockContention = usage("Lock contention", "somebody took the lock just now: try again");
export const lockReclaimed = usage("Another agent reclaimed the lock", "somebody took the lock just now: try again");

export const isLockRefusal = ({ message }: Failure): boolean =>
  message === lockContention.message ||
  message === lockReclaimed.message ||
  /^Another harness session is active \(pid=\d+\)$/.test(message);
