// How finished work reaches the user's branch.
import * as z from "zod";

/** `branch`: it waits on the mission branch. `current`: each task is brought into the user's branch. `pr`: it is pushed. */
export const Integration = z.enum(["branch", "current", "pr"]);
export type Integration = z.infer<typeof Integration>;

/** `present`: it was found there. */
export const AcceptHow = z.enum(["fast-forward", "merge", "squash", "pick", "present"]);
export type AcceptHow = z.infer<typeof AcceptHow>;
