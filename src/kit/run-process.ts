// Runs one program in a group of its own, from a held start to an end that leaves nothing behind.
import { stat } from "node:fs/promises";
import { createBoundedText } from "./bounded-text.ts";
import { findProgram } from "./find-program.ts";
import { watchOver } from "./guardian.ts";
import { endOwnGroup, markerVariable } from "./process-groups.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { ProcessLimits } from "./process-limits.ts";
import { readOutput, type TextFilter } from "./read-output.ts";
import { type Breach, watchResources } from "./resource-watch.ts";
import { type HeldProgram, StartError, startHeld } from "./start-gate.ts";

type TakeOutput = (text: string, stream: "stdout" | "stderr") => void | Promise<void>;

export interface RunOptions {
  readonly argv: readonly [string, ...string[]];
  /** Makes of the program, found, what is started in its place. `monitored`: that ends only with what runs in it (see endOwnGroup). */
  readonly wrap?: ((argv: readonly string[], cwd: string) => Promise<Wrapped>) | undefined;
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
  /** Both get everything, `record` first. Reading waits for their promises; a piece never splits a character. */
  readonly record?: TakeOutput | undefined;
  readonly onOutput?: TakeOutput;
  /** Made once per stream; applied before output is kept or passed on. */
  filter?(): TextFilter;
  readonly keep?: { readonly headBytes: number; readonly tailBytes: number };
  /** Past them it is ended, without grace. */
  readonly limits?: ProcessLimits | undefined;
  /** Set as HARNESS_PROCESS (see process-groups.ts); by default what `env` holds there. */
  readonly marker?: string;
}

export interface Wrapped {
  readonly argv: readonly [string, ...string[]];
  readonly monitored: boolean;
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
  | { readonly end: "exceeded"; readonly code: null; readonly signal: null; readonly breach: Breach }
  /** `announce` said no. The program never began. */
  | { readonly end: "refused"; readonly code: null; readonly signal: null }
  | { readonly end: "not_started"; readonly code: null; readonly signal: null; readonly reason: string };
export type RunResult = RunEnd & RunFacts;

/** As the reason of an abort: without grace. */
export const endAtOnce = Symbol("end at once");

const defaultKeep = { headBytes: 65_536, tailBytes: 65_536 };
const defaultGraceMs = 5_000;
/** A longer delay would overflow and fire at once. */
const maxTimerMs = 2_147_483_647;
const nothing = { code: null, signal: null, output: "", bytes: 0, durationMs: 0 } as const;

/** Never throws for anything the program does; throws what `announce`, `record` or `onOutput` threw, with the program ended. */
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
    const { cwd, stdin, limits } = options;
    const { argv, monitored } = (await options.wrap?.([file, ...args], cwd)) ?? plain(file, args);
    const held = await startHeld({ file: argv[0], args: argv.slice(1), cwd, env, stdin, limits });
    return await supervise(held, options, { marker, monitored });
  } catch (error) {
    if (error instanceof StartError) return notStarted(error.message);
    throw error;
  }
}

const plain = (file: string, args: readonly string[]): Wrapped => ({ argv: [file, ...args], monitored: false });

interface Known {
  readonly marker: string | undefined;
  readonly monitored: boolean;
}

async function supervise(held: HeldProgram, options: RunOptions, known: Known): Promise<RunResult> {
  const { signal, graceMs = defaultGraceMs, timeoutMs = maxTimerMs, limits } = options;
  const output = takeOutput(held, options);
  const ending = createEnding(held.identity, known);
  const release = watchOver(held.identity, known.marker);
  let begun: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let breach: Breach | undefined;
  let unwatch = (): void => undefined;
  const onBreach = (found: Breach): void => {
    if (ending.why() === null) breach = found;
    ending.stop("exceeded", 0);
  };
  // What has not begun has nothing to tidy up and gets no grace.
  const onAbort = (): void => ending.stop("aborted", begun === null || signal?.reason === endAtOnce ? 0 : graceMs);
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
      if (limits !== undefined)
        unwatch = watchResources({ identity: held.identity, marker: known.marker, limits }, onBreach);
    }
  } catch (error) {
    ending.stop("refused", 0);
    throw error;
  } finally {
    exit = await held.exited;
    unwatch();
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await ending.finish();
    release();
    output.cutOff();
  }
  const durationMs = begun === null ? 0 : performance.now() - begun;
  await output.taken;
  const end: RunEnd =
    breach === undefined
      ? describeEnd(exit, ending.why(), begun)
      : { end: "exceeded", code: null, signal: null, breach };
  return { ...end, output: output.text(), bytes: output.bytes(), durationMs };
}

type Stop = "timeout" | "aborted" | "refused" | "exceeded";

/** Ends a group once: for the first reason there is, or because its leader ended. */
function createEnding(identity: ProcessIdentity, known: Known) {
  let why: Stop | null = null;
  let stopping = Promise.resolve();
  let over = false;
  return {
    why: (): Stop | null => why,
    stop(reason: Stop, graceMs: number): void {
      if (over || why !== null) return;
      why = reason;
      stopping = endOwnGroup(identity, { graceMs, ...known });
    },
    async finish(): Promise<void> {
      over = true;
      await (why === null ? endOwnGroup(identity, { graceMs: 0, ...known }) : stopping);
    },
  };
}

function takeOutput(held: HeldProgram, options: RunOptions) {
  const kept = createBoundedText(options.keep ?? defaultKeep);
  const readers = (["stdout", "stderr"] as const).map((name) =>
    readOutput(held[name], {
      filter: options.filter?.(),
      async take(text) {
        kept.push(text);
        await options.record?.(text, name);
        await options.onOutput?.(text, name);
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
  if (why === "timeout" || why === "aborted") return { end: why, code, signal };
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
