// The places at which an operation can be hit: its calls on files of one folder, each named so that strace finds it.
import type { Trouble } from "./errors.ts";
import type { Call } from "./strace.ts";

/** The `nth` call of this name on this path, counted as strace counts: per thread. */
export interface Point {
  readonly name: string;
  readonly path: string;
  readonly nth: number;
  readonly line: string;
}

/** Calls that change what is on the disk. */
export const changing = [
  ...["write", "pwrite64", "writev", "pwritev", "sendfile", "copy_file_range", "fallocate"],
  ...["fsync", "fdatasync", "ftruncate", "truncate", "chmod", "fchmod", "fchmodat"],
  ...["rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"],
  ...["unlink", "unlinkat", "rmdir", "mkdir", "mkdirat"],
];
/** Calls that can fail as well, but leave the disk as it is. */
const looking = ["read", "pread64", "stat", "lstat", "fstat", "newfstatat", "statx", "access", "fcntl"];

export const fileCalls = ["openat", ...changing, ...looking];

export const isChange = ({ name, line }: Point): boolean =>
  changing.includes(name) || (name === "openat" && /O_CREAT|O_TRUNC/.test(line));

/** Every point in `folder`, in the order of the trace. */
export function pointsIn(calls: readonly Call[], folder: string): readonly Point[] {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  return calls.flatMap(({ thread, name, path, line }) => {
    if (!fileCalls.includes(name) || !path.startsWith(`${folder}/`)) return [];
    const counter = JSON.stringify([thread, name, path]);
    const nth = (counts.get(counter) ?? 0) + 1;
    counts.set(counter, nth);
    // The first thread that comes so far is the one that is hit.
    const key = JSON.stringify([name, path, nth]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ name, path, nth, line }];
  });
}

export const tell = ({ name, path, nth }: Point, folder: string): string =>
  `${name} #${nth} of ${path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path}`;

export const kill = (point: Point): Trouble => ({ point, what: "killed", inject: `signal=KILL:when=${point.nth}` });
