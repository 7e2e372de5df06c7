// What may be configured. A file may leave everything out; what it holds must be known (rule CFG).
import * as z from "zod";
import { seedKeys } from "./config-seeds.ts";
import { PassedEnv } from "./env.ts";
import { Integration } from "./integration.ts";
import { LoopPhases, PhasesPreset } from "./phases.ts";
import { OutputKeeping, Resources } from "./resources.ts";
import { SandboxConfig } from "./sandbox.ts";
import { Setup } from "./setup.ts";
import { Concurrency, Limits, WorkspaceKind } from "./task.ts";
import { QuietHours } from "./wait.ts";

/** Their shape is settled when they are built; until then they are kept unread. */
const unsettled = z.record(z.string(), z.unknown());

const { shape } = Limits;
const describedLimits = {
  ...shape,
  maxSessions: shape.maxSessions.describe("Sessions of a mission."),
  maxTasksPerSession: shape.maxTasksPerSession.describe("Attempts settled in a session."),
  maxIterations: shape.maxIterations.describe("Agent sessions in an attempt."),
  maxFreeInterruptions: shape.maxFreeInterruptions.describe("Attempts cut short before the agent did anything."),
  iterationTimeoutMs: shape.iterationTimeoutMs.describe("One agent session."),
  maxRounds: shape.maxRounds.describe("Rounds of a mission, each as many attempts as there are lanes."),
};

export const Config = z.strictObject({
  $schema: z.string().optional().describe("Where an editor finds the schema of this file."),

  limits: z.strictObject(describedLimits).prefault({}).describe("Exact, and never unlimited."),
  lanes: z.int().positive().max(100).default(1).describe("Tasks worked on at once."),
  concurrency: Concurrency.optional().describe("One run at a time, or several runs and outside workers with leases."),
  agent: z
    .strictObject({
      use: z.string().min(1).max(100).describe("Which driver runs the agent."),
      options: z.record(z.string(), z.unknown()).default({}).describe("What that driver understands."),
    })
    .optional()
    .describe("The agent that does the work."),
  validation: z
    .strictObject({
      default: z.string().trim().min(1).max(10_000).nullable().default(null).describe("For tasks without their own."),
      timeoutSeconds: z.int().positive().max(86_400).default(300).describe("Unless the task says otherwise."),
    })
    .prefault({})
    .describe("The command line that judges a task: exit 0 passes."),
  integration: Integration.default("branch").describe(
    "Where finished work goes: it waits on the mission branch, moves your branch after each task, or is to be pushed.",
  ),
  setup: Setup.prefault({}).describe("What makes a fresh checkout of the project work."),
  rescue: z
    .strictObject({
      keepDays: z
        .int()
        .positive()
        .max(36_500)
        .default(30)
        .describe("Until `harness rescue drop --expired` lets it go."),
    })
    .prefault({})
    .describe("Work that was set aside."),
  resources: Resources.prefault({}).describe("What programs may use of the machine. A project may only ask for less."),
  output: OutputKeeping.prefault({}).describe(
    "What programs print, kept in the state home. A project may only ask for less.",
  ),
  views: z
    .strictObject({
      harnessLoop: z.boolean().default(false).describe("Also keep .harness/tasks.json and .harness/progress.md."),
    })
    .prefault({})
    .describe("Files written for people and other tools."),

  phases: z
    .union([PhasesPreset, LoopPhases], 'must be "standard", "product" or a list of phases')
    .optional()
    .describe("What loops go through, one after the other: a preset, or a list of { name, prefix, gate }."),
  barrier: z
    .boolean()
    .default(false)
    .describe(
      "Also for the plan: no task of a phase begins before all tasks of the phases before it are done. In the order of `phases`; product, if that is not given.",
    ),
  quietHours: QuietHours.optional().describe(
    'Hours of the day in which no run goes on by itself after a wait for its agent, such as "22:00-07:00".',
  ),

  ...seedKeys,

  perIterationUsd: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe(
      "Most that one agent session is given of maxCostUsd, and charged with when nobody knows: 5 if not given.",
    ),
  maxTokens: z.int().positive().max(1e15).optional().describe("Most tokens the mission may use."),
  perIterationTokens: z
    .int()
    .positive()
    .max(1e12)
    .optional()
    .describe("Most that one agent session is given of maxTokens: 5,000,000 if not given."),
  maxMinutes: z
    .number()
    .positive()
    .max(5_256_000)
    .optional()
    .describe("How long runs of the mission may be on, in all."),

  workspace: WorkspaceKind.optional().describe("User only. Where agents work: private clones if not given."),
  sandbox: SandboxConfig.optional().describe("User only. What keeps an agent in its workspace."),
  env: PassedEnv.prefault({}).describe("User only. Variables of yours that programs are given, beside the usual ones."),
  trust: unsettled.optional().describe("User only. Commands that may run."),
  tokens: z.record(z.string(), z.string().max(10_000)).optional().describe("User only. Secrets for services."),
  notifications: unsettled.optional().describe("User only. Who is told what, and how."),
});
export type Config = z.output<typeof Config>;
/** As it is written in a file or asked for by flags: every key may be missing. */
export type ConfigInput = z.input<typeof Config>;

/** What only the user's own file or flags may say: a repository, or an agent at work in it, must not weaken these. */
export const userOnlyKeys: readonly (readonly string[])[] = [
  ["workspace"],
  ["sandbox"],
  ["env"],
  ["trust"],
  ["tokens"],
  ["notifications"],
  ["checkpoints", "fileGrants"],
];

/** `later`: checked and kept, but nothing acts on it yet. A list: the only parts of the key that are acted on. */
type Effect = "now" | "later" | readonly string[];
export const configEffects: Readonly<Record<Exclude<keyof Config, "$schema">, Effect>> = {
  limits: "now",
  lanes: "now",
  concurrency: "now",
  agent: "now",
  validation: "now",
  integration: "now",
  setup: "now",
  rescue: "now",
  resources: "now",
  output: "now",
  views: "later",
  phases: "now",
  barrier: "now",
  quietHours: "now",
  branchIsolation: "now",
  checkpoints: "later",
  models: ["worker", "summariser"],
  promptOverrides: "later",
  timeouts: ["worker"],
  maxCostUsd: "now",
  maxCostUsdWarnThreshold: "now",
  maxCostUsdAutoPause: "now",
  perIterationUsd: "now",
  maxTokens: "now",
  perIterationTokens: "now",
  maxMinutes: "now",
  smokeTest: "later",
  uiQa: "later",
  crosscheck: "later",
  planReviewer: "later",
  debugger: "later",
  parallelWorkers: ["max"],
  wipCheckpoint: "later",
  autoScreenshot: "later",
  snapshotRetention: "later",
  logRetention: "later",
  archiveOnDone: "later",
  project_name: "later",
  created_at: "later",
  execution_mode: "later",
  chat_id: "later",
  previous_batch_size: "later",
  workspace: "now",
  sandbox: "now",
  env: "now",
  trust: "later",
  tokens: "later",
  notifications: "later",
};

/** Keys that were set although nothing acts on them yet: whoever starts work says so. */
export function keysWithoutEffect(config: Config): readonly string[] {
  const unset = Config.parse({});
  const keys = Object.keys(configEffects) as (keyof typeof configEffects)[];
  return keys.flatMap((key) => {
    const effect = configEffects[key];
    if (effect === "now" || JSON.stringify(config[key]) === JSON.stringify(unset[key])) return [];
    if (effect === "later") return [key];
    const parts = Object.keys(config[key] ?? {}).filter((part) => !effect.includes(part));
    return parts.map((part) => `${key}.${part}`);
  });
}

/** The known keys of the object at `path`; null where any key may stand, or no object. */
export function knownKeys(path: readonly PropertyKey[], schema: z.core.$ZodType = Config): readonly string[] | null {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodUnion) {
    return inner.options.map((option) => knownKeys(path, option)).find((keys) => keys !== null) ?? null;
  }
  const [first, ...rest] = path;
  if (inner instanceof z.ZodArray) return first === undefined ? null : knownKeys(rest, inner.element);
  if (!(inner instanceof z.ZodObject)) return null;
  if (first === undefined) return inner.def.catchall instanceof z.ZodNever ? Object.keys(inner.shape) : null;
  const next = Object.hasOwn(inner.shape, first) ? inner.shape[String(first)] : undefined;
  return next === undefined ? null : knownKeys(rest, next);
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const wraps =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return wraps ? unwrapped(schema.unwrap()) : schema;
}
