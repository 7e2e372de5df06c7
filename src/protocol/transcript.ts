// What a transcript tells: an agent's recorded output as its driver reads it back. For showing, and never stored.
import type { Account } from "./account.ts";
import type { AgentEvent } from "./agent.ts";

/** Texts are bounded, and hold whatever the agent printed: they are made harmless where they are shown. */
export type TranscriptEvent =
  | Exclude<AgentEvent, { readonly type: "ended" | "used" }>
  /** What the call before it does to a file, as far as the call says it. */
  | { readonly type: "changed"; readonly removed: string; readonly added: string }
  /** As the agent itself sees its end; `message` says what went wrong. */
  | { readonly type: "concluded"; readonly ok: boolean; readonly message: string; readonly account: Account }
  /** Of a program that it started, or of one that speaks for it. */
  | { readonly type: "printed"; readonly text: string };

/**
 * What one recorded line tells. Must take any line – of another program, cut in two, of any length – and must not throw;
 * what tells nothing is no event.
 */
export type ReadTranscript = (line: string) => readonly TranscriptEvent[];
