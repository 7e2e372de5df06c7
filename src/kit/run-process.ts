// Runs one program in a group of its own, from a held start to an end that leaves nothing behind.
import { stat } from "node:fs/promises";
import { createBoundedText } from "./bounded-text.ts";
import { findProgram } from "./find-program.ts";
import { watchOver } from "./guardian.ts";
import { endOwnGroup, markerVariable } from "./process-groups.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { readOutput, type TextFilter } from "./read-output.ts";
import { type HeldProgram, StartError, startHeld } from "./start-gate.ts";

export interface RunOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** The program begins only after this resolved to true. */
  announce(identity: ProcessIdentity): Promise<boolean>;
  readonly stdin?: string;
  /** Counted from the moment the program begins. */
  readonly timeoutMs?: number;
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
  /** Reading waits for the promise; a piece never splits a character. */
  onOutput?(text: string, stream: "stdout" | "stderr"): void | Promise<void>;
  /** Made once per stream; applied before output is kept or passed on. */
  filter?(): TextFilter;
  readonly keep?: { readonly headBytes: number; readonly tailBytes: number };
  /** Set as HARNESS_PROCESS (see process-groups.ts); by default what `env` holds there. */
  readonly marker?: string;
}

interface RunFacts {
  /** Both streams as they came, bounded. */
  readonly output: string;
  /** How much the program wrote in all. */
  readonly bytes: number;
  readonly durationMs: number;
}
export type RunEnd =
  | { readonly end: "exited"; readonly code: number; readonly signal: null }
  | { readonly end: "signalled"; readonly code: null; readonly signal: NodeJS.Signals }
  /** We ended it. */
  | { readonly end: "timeout" | "aborted"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** `announce` said no. The program never began. */
  | { readonly end: "refused"; readonly code: null; readonly signal: null }
  | { readonly end: "not_started"; readonly code: null; readonly signal: null; readonly reason: string };
export type RunResult = RunEnd & RunFacts;

const defaultKeep = { headBytes: 65_536, tailBytes: 65_536 };
const defaultGraceMs = 5_000;
/** A longer delay would overflow and fire at once. */
const maxTimerMs = 2_147_483_647;
const nothing = { code: null, signal: null, output: "", bytes: 0, durationMs: 0 } as const;

/** Never throws for anything the program does; throws what `announce` or `onOutput` threw, with the program ended. */
export async function runProcess(options: RunOptions): Promise<RunResult> {
  const notStarted = (reason: string): RunResult => ({ ...nothing, end: "not_started", reason });
  if (options.signal?.aborted) return { ...nothing, end: "aborted" };
  if (!(await isFolder(options.cwd))) return notStarted(`no such directory: ${options.cwd}`);
  const [name, ...args] = options.argv;
  const file = await findProgram(name, options);
  if (file === null) return notStarted(`program not found: ${name}`);
  const marker = options.marker ?? options.env[markerVariable];
  const env = marker === undefined ? options.env : { ...options.env, [markerVariable]: marker };
  try {
    const held = await startHeld({ file, args, cwd: options.cwd, env, stdin: options.stdin });
    return await supervise(held, options, marker);
  } catch (error) {
    if (error instanceof StartError) return notStarted(error.message);
    throw error;
  }
}

async function supervise(held: HeldProgram, options: RunOptions, marker: string | undefined): Promise<RunResult> {
  const { signal, graceMs = defaultGraceMs, timeoutMs = maxTimerMs } = options;
  const output = takeOutput(held, options);
  const ending = createEnding(held.identity, marker);
  const release = watchOver(held.identity, marker);
  let begun: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  // What has not begun has nothing to tidy up and gets no grace.
  const onAbort = (): void => ending.stop("aborted", begun === null ? 0 : graceMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  output.taken.catch(onAbort);

  let exit: Awaited<HeldProgram["exited"]>;
  try {
    if (signal?.aborted) onAbort();
    if (!(await options.announce(held.identity))) ending.stop("refused", 0);
    if (ending.why() === null) {
      begun = performance.now();
      timer = setTimeout(() => ending.stop("timeout", graceMs), Math.min(timeoutMs, maxTimerMs));
      held.letGo();
    }
  } catch (error) {
    ending.stop("refused", 0);
    throw error;
  } finally {
    exit = await held.exited;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await ending.finish();
    release();
    output.cutOff();
  }
  const durationMs = begun === null ? 0 : performance.now() - begun;
  await output.taken;
  return { ...describeEnd(exit, ending.why(), begun), output: output.text(), bytes: output.bytes(), durationMs };
}

type Stop = "timeout" | "aborted" | "refused";

/** Ends a group once: for the first reason there is, or because its leader ended. */
function createEnding(identity: ProcessIdentity, marker: string | undefined) {
  let why: Stop | null = null;
  let stopping = Promise.resolve();
  let over = false;
  return {
    why: (): Stop | null => why,
    stop(reason: Stop, graceMs: number): void {
      if (over || why !== null) return;
      why = reason;
      stopping = endOwnGroup(identity, { graceMs, marker });
    },
    async finish(): Promise<void> {
      over = true;
      await (why === null ? endOwnGroup(identity, { graceMs: 0, marker }) : stopping);
    },
  };
}

function takeOutput(held: HeldProgram, options: RunOptions) {
  const kept = createBoundedText(options.keep ?? defaultKeep);
  const readers = (["stdout", "stderr"] as const).map((name) =>
    readOutput(held[name], {
      filter: options.filter?.(),
      take(text) {
        kept.push(text);
        return options.onOutput?.(text, name);
      },
    }),
  );
  return {
    taken: Promise.all(readers.map((reader) => reader.done)),
    text: () => kept.text(),
    bytes: () => readers.reduce((sum, reader) => sum + reader.bytes(), 0),
    cutOff() {
      for (const reader of readers) reader.cutOff();
    },
  };
}

function describeEnd(exit: Awaited<HeldProgram["exited"]>, why: Stop | null, begun: number | null): RunEnd {
  const { code, signal } = exit;
  if (why === "refused") return { end: "refused", code: null, signal: null };
  if (why !== null) return { end: why, code, signal };
  if (begun === null) return { end: "not_started", code: null, signal: null, reason: "it ended before it could begin" };
  if (code !== null) return { end: "exited", code, signal: null };
  return { end: "signalled", code: null, signal: signal ?? "SIGKILL" };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Absent or out of reach: either way nothing can run there.
    return false;
  }
}
