// What a driver reports about one iteration, and who a started process is.
import * as z from "zod";
import { Account, type Context, type Tokens } from "./account.ts";
import { Failure, type FailureKind } from "./failure.ts";
import { CutBecause, Stood } from "./standing.ts";
import { Period, WaitKind } from "./wait.ts";

const account = Account.optional();

/** How one iteration ended, as the journal keeps it. A claim only: gates decide whether the work passes. */
export const IterationEnd = z.discriminatedUnion("reason", [
  z.object({ reason: z.literal("finished"), message: z.string(), account }),
  /** The agent stopped before the end and wants a fresh context – or was given one, for a reason it did not name. */
  z.object({ reason: z.literal("unfinished"), message: z.string(), because: CutBecause.optional(), account }),
  z.object({ reason: z.literal("failed"), failure: Failure, account }),
  /** We stopped it. */
  z.object({ reason: z.literal("interrupted"), account }),
  /**
   * Only time mends what it met. `until`: as its provider says; null, if it does not. `chance`: drawn between 0 and 1
   * when it ended, so that not all who met it come back at once. `quiet`: when nobody is to be woken up, in order.
   */
  z.object({
    reason: z.literal("delayed"),
    failure: Failure.extend({ kind: WaitKind }),
    until: z.number().nullable(),
    chance: z.number().min(0).max(1),
    quiet: z.array(Period).max(20).optional(),
    account,
  }),
]);
export type IterationEnd = z.infer<typeof IterationEnd>;

/** Who did the work of an iteration: its driver, and what the agent's program says of itself. */
export const AgentIdentity = z.object({
  name: z.string(),
  version: z.string().max(200),
  model: z.string().max(200),
});
export type AgentIdentity = z.infer<typeof AgentIdentity>;

/** What is kept of an iteration; an agent may not say who it is. `stood`: where another one may go on with it. */
export const IterationTold = z.object({
  end: IterationEnd,
  agent: AgentIdentity.optional(),
  stood: Stood.optional(),
});

/** What only an agent can meet: its service, its own limits, its permissions. */
export type AgentTrouble =
  | "billing"
  | "context_overflow"
  | "output_overflow"
  | "refused"
  | "turns_used_up"
  | "budget_used_up"
  /** Nothing it tried was allowed. */
  | "tools_denied";

export type AgentFailure = Omit<Failure, "kind"> & { readonly kind: FailureKind | AgentTrouble };

/** How one iteration ended, as a driver tells it. */
export type AgentEnd =
  | Exclude<IterationEnd, { reason: "failed" | "delayed" }>
  | { readonly reason: "failed"; readonly failure: AgentFailure; readonly account?: Account | undefined }
  /** The provider serves nothing more until then; null: it does not say until when. */
  | { readonly reason: "limited"; readonly until: number | null; readonly message: string; readonly account?: Account }
  /** It goes on for ever without getting anywhere (`empty`: it ends again and again without a word), or says nothing any more. */
  | { readonly reason: "stalled"; readonly message: string; readonly empty?: true; readonly account?: Account }
  /** It is gone without a word, and it was not us: only the workspace can tell. */
  | { readonly reason: "lost"; readonly message: string; readonly account?: Account };

/** Texts are bounded: a long one that is said comes in pieces, all others are cut. */
export type AgentEvent =
  | { readonly type: "said"; readonly text: string }
  /** Once its program runs. `session` is the agent's own name for it, by which it could be taken up again. */
  | {
      readonly type: "began";
      readonly session: string;
      readonly model: string;
      readonly version: string;
      /** What it may do without asking, in its own word. */
      readonly permissions: string;
    }
  /** `about`: what it works on, in a line. */
  | {
      readonly type: "called";
      readonly call: string;
      readonly tool: string;
      readonly about: string;
      readonly input: string;
    }
  | { readonly type: "answered"; readonly call: string; readonly ok: boolean; readonly text: string }
  /** All that is known so far; `context`: of an agent that tells it. */
  | { readonly type: "used"; readonly tokens: Tokens; readonly context?: Context }
  | {
      readonly type: "retried";
      readonly retry: number;
      readonly most: number;
      readonly delayMs: number;
      readonly why: string;
    }
  /** How much of what the user has bought is left. */
  | { readonly type: "limit"; readonly name: string; readonly status: string; readonly until: number | null }
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

/** Gets what a program prints, piece by piece; nothing more is read from the program while the promise is pending. */
export type RecordOutput = (text: string, stream: "stdout" | "stderr") => void | Promise<void>;
/** Takes secrets out of a text, or of one that comes in pieces: what is answered may be kept and shown. */
export interface Redacting {
  redact(text: string): string;
  stream(): { push(text: string): string; flush(): string };
}
