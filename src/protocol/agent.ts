// What a driver reports about one iteration, and who a started process is.
import * as z from "zod";
import { Failure } from "./failure.ts";

/** How one iteration ended. A claim only: gates decide whether the work passes. */
export const AgentEnd = z.discriminatedUnion("reason", [
  z.object({ reason: z.literal("finished"), message: z.string() }),
  /** The agent stopped on purpose before the end and wants a fresh context. */
  z.object({ reason: z.literal("unfinished"), message: z.string() }),
  z.object({ reason: z.literal("failed"), failure: Failure }),
  /** We stopped it. */
  z.object({ reason: z.literal("interrupted") }),
]);
export type AgentEnd = z.infer<typeof AgentEnd>;

export type AgentEvent =
  | { readonly type: "said"; readonly text: string }
  | { readonly type: "ended"; readonly end: AgentEnd };

/** Enough to recognise a process after a reboot or pid reuse. `startTime` is in the kernel's own unit, as text. */
export const ProcessIdentity = z.object({
  host: z.string(),
  bootId: z.string(),
  pid: z.int().positive(),
  group: z.int().positive(),
  startTime: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/**
 * Called with a started process before it may act. `false` means that the caller no longer owns the work:
 * the process must be ended without having acted.
 */
export type AnnounceProcess = (process: ProcessIdentity) => Promise<boolean>;
