// Commands to a mission that is there: all go the same way, with other transactions and other lines of the log.
import { steering } from "./operations.ts";
import { sweep } from "./sweeps.ts";

sweep(steering, {
  kills: { few: 25, many: 1 },
  errors: { few: 200, many: 6 },
  failsLooks: () => false,
});
