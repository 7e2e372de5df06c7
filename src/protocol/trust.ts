// What a user accepted, as it is kept in the user's own data: never in a project, which could bring it along.
import * as z from "zod";

export const Acceptance = z.object({
  /** The real path of the project. */
  root: z.string(),
  /** Over exactly the commands. */
  hash: z.string(),
  /** The commands, as they were shown. */
  what: z.array(z.string()),
  at: z.number(),
});
export type Acceptance = z.infer<typeof Acceptance>;

export const TrustFile = z.object({ v: z.literal(1), accepted: z.array(Acceptance) });
