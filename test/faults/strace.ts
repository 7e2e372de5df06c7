// Programs under strace: what they ask of the system, and what becomes of them when one of those calls goes wrong.
//
// strace kills at the *entry* of a call, before it has any effect. The state after a call is the state before the
// next one, so the entries of all calls cover their exits as well; the exit of the last one is the clean run.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** One call as strace saw its entry; `path` is that of its first path or descriptor. */
export interface Call {
  readonly thread: string;
  readonly name: string;
  readonly path: string;
  readonly line: string;
}

export interface Traced {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It did not end by itself within the limit. */
  readonly hung: boolean;
  readonly calls: readonly Call[];
  /** How many calls were tampered with. */
  readonly hits: number;
}

export interface Traceable {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where the trace is written for a moment. */
  readonly folder: string;
}

export interface TraceOptions {
  readonly calls: readonly string[];
  /** Only calls that touch these; all, if none is given. */
  readonly paths?: readonly string[];
  /** As strace takes it, without the calls: `signal=KILL:when=3`. */
  readonly inject?: string;
  /** Leaves programs that the process starts alone. */
  readonly onlyItself?: boolean;
  /** Twice as fast, for errors only: with it signals are not delivered, and what a process starts is watched as well. */
  readonly quick?: boolean;
  /** Only whether it was hit is of interest: descriptors are not looked up. */
  readonly brief?: boolean;
}

/** Long: other tests may keep the whole machine busy. Whoever tries planted faults has less patience than for the test. */
const hangsAfterMs = Number(process.env.HARNESS_TEST_PATIENCE_MS ?? 180_000);

/** Throws where processes cannot be traced: nothing here may pass without it. */
export function requireStrace(): void {
  const { status, error, stderr } = spawnSync("strace", ["-f", "-e", "trace=none", "true"], { encoding: "utf8" });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim();
  throw new Error(`strace does not work here (${why}): run scripts/need.mjs strace, and allow ptrace`);
}

/** Unwatched. */
export const perform = ({ command, cwd, env }: Traceable): Promise<Ended> => run("env", command, cwd, env);

export async function trace({ command, cwd, env, folder }: Traceable, options: TraceOptions): Promise<Traced> {
  const file = join(folder, "trace.txt");
  const names = options.calls.join(",");
  const args = [
    ...(options.brief ? [] : ["-y"]),
    ...["-f", "-qq", "-s", "96", "-e", "signal=KILL", "-o", file, "-e", `trace=${names}`],
    ...(options.quick ? ["--seccomp-bpf"] : options.onlyItself ? ["-b", "execve"] : []),
    ...(options.paths ?? []).flatMap((path) => ["-P", path]),
    ...(options.inject === undefined ? [] : ["-e", `inject=${names}:${options.inject}`]),
  ];
  const ended = await run("strace", [...args, "--", ...command], cwd, env);
  const text = readFileSync(file, "utf8");
  rmSync(file);
  return { ...ended, calls: parseTrace(text), hits: hitsIn(text, options.inject) };
}

/** What is killed is not told as injected; and under an error we may well kill somebody ourselves. */
export const hitsIn = (text: string, inject = ""): number =>
  (text.match(inject.startsWith("signal=") ? /\+\+\+ killed by SIGKILL/g : /\(INJECTED\)/g) ?? []).length;

type Ended = Omit<Traced, "calls" | "hits">;

function run(file: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const text = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (piece: string) => {
        text[stream] += piece;
      });
    }
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      // With its group: what strace watched lives on without it, and keeps the pipes open.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, hangsAfterMs);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, hung, ...text });
    });
  });
}

const callLine = /^(\d+)\s+(\w+)\((.*)$/;

export function parseTrace(text: string): readonly Call[] {
  return text.split("\n").flatMap((line) => {
    const [, thread, name, rest] = callLine.exec(line) ?? [];
    if (thread === undefined || name === undefined || rest === undefined) return [];
    const path = /^AT_FDCWD<[^>]*>, "([^"]*)"/.exec(rest)?.[1] ?? /^"([^"]*)"/.exec(rest)?.[1];
    return [{ thread, name, path: path ?? /^\d+<([^>]*)>/.exec(rest)?.[1] ?? "", line }];
  });
}
