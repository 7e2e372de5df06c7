// How work is judged.
import * as z from "zod";
import { Failure } from "./failure.ts";

/** Which gate, with options that only its variant understands. */
export const GateSpec = z.object({ use: z.string(), options: z.record(z.string(), z.unknown()) });
export type GateSpec = z.infer<typeof GateSpec>;

export const Verdict = z.discriminatedUnion("verdict", [
  z.object({ verdict: z.literal("pass"), evidence: z.string() }),
  z.object({ verdict: z.literal("fail"), failure: Failure }),
  /** The gate could not judge: nothing is said about the work. */
  z.object({ verdict: z.literal("unable"), failure: Failure }),
]);
export type Verdict = z.infer<typeof Verdict>;
