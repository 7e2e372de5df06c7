// Facts about sessions: counted, asked about their environment, ended.
import * as z from "zod";
import { Failure } from "./failure.ts";
import { Stats } from "./view.ts";

export const sessionFacts = {
  "session.started": z.object({ session: z.int().positive() }),
  /** What harness-init.sh said of the environment (S1); `again`: it is asked once more. */
  "session.checked": z.object({
    session: z.int().positive(),
    passed: z.boolean(),
    again: z.boolean(),
    failure: Failure.nullable(),
  }),
  /** A start that found all sessions used says how things stand and stops (S2). */
  "stats.taken": z.object({ stats: Stats }),
  "session.ended": z.object({ session: z.int().positive(), stats: Stats }),
} as const;
