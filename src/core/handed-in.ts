// Work that left an outside worker's hands for ours, and what came of it: whoever did not hear the answer is given the
// same once more, by the number of its claim (L4).
import type { Failure } from "../protocol/failure.ts";

/** An outside worker, and the number of the claim that it handed in. */
export interface Holder {
  readonly worker: string;
  readonly claim: number;
}

export type LastHandIn = Holder &
  ({ readonly status: "completed" } | { readonly status: "failed" | "pending"; readonly failure: Failure });
