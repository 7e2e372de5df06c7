// The beginning of a mission, a task for it, and its views made anew: each goes its own way through the files.
import { beginnings } from "./operations.ts";
import { sweep } from "./sweeps.ts";

sweep(beginnings, {
  kills: { few: 25, many: 1 },
  errors: { few: 200, many: 3 },
  failsLooks: ({ name }) => name === "add",
});
