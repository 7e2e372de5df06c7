// Temporary folders of a test suite in memory: repositories by the thousand are made there and synced for nothing.
//
// Only for its own processes – a mount in a namespace of theirs – so that nothing is left behind, however they end.
// Where that is not allowed, or memory is short, the suite runs on the disk as ever.

import { spawnSync } from "node:child_process";
import { freemem } from "node:os";

const megabytes = 6_000;
const mount = `export TMPDIR="$1"; shift; mount -t tmpfs -o size=${megabytes}m,mode=1777 harness-tests "$TMPDIR"`;

/** `folder` must be there; what was in it is out of sight. */
export function inMemory(step, folder) {
  return isPossible(folder) ? { ...step, started: around(folder, ...step.command) } : step;
}

const around = (folder, ...command) => [
  "unshare",
  "--mount",
  "sh",
  "-c",
  `${mount} && exec "$@"`,
  "sh",
  folder,
  ...command,
];

let possible;
function isPossible(folder) {
  if (possible === undefined) {
    const [file, ...args] = around(folder, "true");
    possible = freemem() > 2 * megabytes * 2 ** 20 && spawnSync(file, args).status === 0;
  }
  return possible;
}
