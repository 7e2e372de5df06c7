// The port of the driver family: one verb, run one iteration of a coding agent.
import type * as z from "zod";
import type { AgentEvent, AnnounceProcess } from "../protocol/agent.ts";
import type { TaskId } from "../protocol/ids.ts";

export interface AgentRequest {
  readonly task: TaskId;
  readonly attempt: number;
  readonly iteration: number;
  /** The whole text the agent is given. */
  readonly brief: string;
  /** The workspace; the agent works here and nowhere else. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly announce: AnnounceProcess;
}

/**
 * Runs one coding agent once, with a fresh context, in `cwd`.
 *
 * Must yield exactly one `ended`, and yield it last. Must not throw for anything the agent does: a crash, garbage,
 * a missing program are `failed` ends. Must announce each process before it acts, and end it unheard when the
 * answer is false (the end is then `interrupted`). Must stop everything it started, its own process group included,
 * before it yields `ended` – on a normal end, when `signal` aborts (`interrupted`), and past `timeoutMs`
 * (`failed`, kind `timeout`). Must hold memory flat however much the agent prints.
 * May run without a process of its own. Must not judge the work.
 */
export interface Driver {
  run(request: AgentRequest, signal: AbortSignal): AsyncIterable<AgentEvent>;
}

/** A variant owns its options: the engine keeps them opaque, the variant's schema parses them. */
export interface DriverVariant<Options extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly options: Options;
  create(options: z.output<Options>): Driver;
}

export const defineDriver = <Options extends z.ZodType>(variant: DriverVariant<Options>): DriverVariant<Options> =>
  variant;
