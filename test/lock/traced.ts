// Runs a process under strace: to see the calls of its work, and to kill it right before any one of them.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";

/** Calls that change a file, open one or lock the journal; between two of the others nothing can differ. */
const calls = [
  ...["mkdir", "mkdirat", "openat", "write", "pwrite64", "fsync", "fdatasync", "chmod", "fchmod", "ftruncate"],
  ...["rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "link", "linkat", "symlink", "fcntl"],
];

export interface Point {
  readonly call: string;
  /** The n-th call of that name by the main thread since it was started. */
  readonly when: number;
}

export interface Traced {
  readonly end: number | string | null;
  readonly answers: readonly string[];
  /** What the main thread did between the marks; whole lines of the trace. */
  readonly work: readonly string[];
  /** The process came to the end of the work. */
  readonly finished: boolean;
  /** Where the work can be cut: before each of its calls. */
  readonly points: readonly Point[];
  readonly otherThreads: readonly string[];
}

export interface Trace {
  readonly command: readonly string[];
  readonly told: readonly string[];
  /** The mark around the work that counts. */
  readonly during: string;
  readonly file: string;
  readonly kill?: Point;
}

export async function trace({ command, told, during, file, kill }: Trace): Promise<Traced> {
  // To see, every thread is followed; to kill, only the main one, for each thread's calls are counted apart.
  const inject = kill ? ["-e", `inject=${kill.call}:signal=KILL:when=${kill.when}`] : ["-f"];
  // io_uring would do file work that no trace shows; access is what the marks are made of.
  const traced = ["-o", file, "-e", `trace=${[...calls, "access", "io_uring_setup"].join(",")}`, ...inject];
  const env = { ...process.env, UV_USE_IO_URING: "0", UV_THREADPOOL_SIZE: "1" };
  const child = spawn("strace", [...traced, ...command], { env, stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  // It may be killed before it has read all.
  child.stdin.on("error", () => undefined);
  child.stdin.end(told.map((line) => `${line}\n`).join(""));
  const end = await new Promise<number | string | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  rmSync(file);
  return { end, answers: output.trimEnd().split("\n").slice(1), ...dissect(lines, during) };
}

function dissect(lines: readonly string[], during: string): Omit<Traced, "end" | "answers"> {
  if (lines.some((line) => line.includes("io_uring_setup")))
    throw new Error("the process uses io_uring: the trace lies");
  // Each line begins with the thread's number if threads were followed.
  const main = /^\d+ /.exec(lines[0] ?? "")?.[0] ?? "";
  const begin = lines.findIndex((line) => line.includes(`/begin ${during}"`));
  const end = lines.findIndex((line) => line.includes(`/end ${during}"`));
  const inside = begin < 0 ? [] : lines.slice(begin + 1, end < 0 ? undefined : end);
  const ofMain = (line: string) => line.startsWith(main);
  const counts = new Map<string, number>();
  const points: Point[] = [];
  for (const [n, line] of lines.entries()) {
    const call = callIn(line);
    if (call === null || !ofMain(line)) continue;
    const when = (counts.get(call) ?? 0) + 1;
    counts.set(call, when);
    if (begin >= 0 && n > begin && (end < 0 || n < end)) points.push({ call, when });
  }
  const isCall = (line: string) => callIn(line) !== null;
  const work = inside.filter((line) => ofMain(line) && isCall(line));
  return { work, finished: end >= 0, points, otherThreads: inside.filter((line) => !ofMain(line) && isCall(line)) };
}

function callIn(line: string): string | null {
  const call = /^(?:\d+ +)?(\w+)\(/.exec(line)?.[1] ?? null;
  return call !== null && calls.includes(call) ? call : null;
}
