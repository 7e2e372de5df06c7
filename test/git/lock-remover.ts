// Removes a lock file of git if it is stale, and says whether it is gone.
import { removeIfStale } from "../../src/git/stale-lock.ts";

const [lock = "", commonDir = ""] = process.argv.slice(2);
console.log(await removeIfStale(lock, commonDir));
