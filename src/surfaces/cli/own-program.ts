// The command line by which this program is started again.
import { realpathSync } from "node:fs";

/** Past all links: in a sandbox the folder they lie in may not be there. */
export const ownProgram = (): [string, ...string[]] => [process.execPath, realpathSync(process.argv[1] ?? "")];
