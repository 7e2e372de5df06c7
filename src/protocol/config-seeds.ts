// Keys of the protocols Harness grew out of, accepted as they are written there (rule CFG). Where such a protocol does
// not say all that an object may hold, what we do not know of it is kept unread.
import * as z from "zod";
import { ModelChoice, ModelName } from "./role.ts";

const perRole = <T extends z.ZodType>(value: T) => z.record(z.string().min(1).max(100), value);
const seconds = z
  .number()
  .positive()
  .max(7 * 86_400);
const command = z.string().min(1).max(10_000);
/** Part of a file name. */
const checkpointName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "must be 1–64 letters, digits, '-' or '_', starting with a letter or digit",
  );

const SmokeUrl = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: "must be an http or https address" }),
  expectStatus: z.int().min(100).max(599).optional(),
  expectText: z.string().max(10_000).optional(),
});

export const seedKeys = {
  branchIsolation: z
    .strictObject({
      enabled: z.boolean().optional(),
      baseBranch: z.string().min(1).max(250).optional(),
      useWorktrees: z.boolean().optional(),
      onPass: z.enum(["merge", "pr", "keep"]).optional(),
    })
    .optional()
    .describe("A branch and a directory of its own for each task, and what becomes of them."),
  checkpoints: z
    .strictObject({
      enabled: z.boolean().optional(),
      types: z
        .array(
          z.strictObject({
            name: checkpointName,
            description: z.string().max(10_000).optional(),
            triggerOn: z.enum(["post-planner", "phase-end", "pre-merge", "pre-done"]).optional(),
            triggerDoc: z.string().max(1_000).optional(),
          }),
        )
        .max(100)
        .optional(),
      fileGrants: z.boolean().optional().describe("Whether a file may answer a checkpoint. User only."),
    })
    .optional()
    .describe("Points at which a person is asked."),
  models: perRole(z.union([ModelName, ModelChoice]))
    .optional()
    .describe("Model of each role, or model and effort."),
  promptOverrides: perRole(z.string().min(1).max(100_000))
    .optional()
    .describe("Text, or the path of a file, added to the prompt of a role."),
  timeouts: perRole(seconds).optional().describe("Seconds one call of a role may take."),
  maxCostUsd: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe("Most the mission may cost, in US dollars; a loop has as much for itself."),
  maxCostUsdWarnThreshold: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("Part of a cap at which to warn once: 0.8 if not given."),
  maxCostUsdAutoPause: z.boolean().optional().describe("Ask a person at the end of the budget instead of stopping."),
  smokeTest: z
    .strictObject({
      enabled: z.boolean().optional(),
      onDone: z.boolean().optional(),
      onFeaturePass: z.boolean().optional(),
      urls: z.array(SmokeUrl).max(1_000).optional(),
      startupCmd: command.optional(),
      startupWaitSeconds: seconds.optional(),
    })
    .optional()
    .describe("Start the product and ask it at these addresses."),
  uiQa: z.looseObject({ enabled: z.boolean().optional() }).optional().describe("Check claims in a real browser."),
  crosscheck: z.looseObject({ enabled: z.boolean().optional() }).optional().describe("A second model judges as well."),
  planReviewer: z.strictObject({ enabled: z.boolean().optional() }).optional().describe("Have the plan challenged."),
  debugger: z
    .strictObject({ enabled: z.boolean().optional(), threshold: z.int().positive().max(1_000).optional() })
    .optional()
    .describe("Look for the cause after so many failed attempts."),
  parallelWorkers: z
    .looseObject({
      max: z.int().positive().max(100).optional(),
      workersPerFeature: z.int().positive().max(100).optional(),
      adaptive: z.looseObject({}).optional(),
      synthesizeSingle: z.boolean().optional(),
    })
    .optional()
    .describe("Workers side by side, on one task or on several."),
  wipCheckpoint: z
    .strictObject({ enabled: z.boolean().optional(), intervalSeconds: seconds.optional() })
    .optional()
    .describe("Keep unfinished work every so often."),
  autoScreenshot: z
    .strictObject({ enabled: z.boolean().optional(), url: SmokeUrl.shape.url.optional() })
    .optional()
    .describe("Take pictures of the running product."),
  snapshotRetention: z.int().positive().max(100_000).optional().describe("Snapshots kept."),
  logRetention: z.int().positive().max(1_000_000).optional().describe("Agent logs kept."),
  archiveOnDone: z.boolean().optional().describe("Pack up the mission's files at its end."),
  project_name: z.string().max(1_000).optional().describe("Said about the project by its plan; kept unread."),
  created_at: z.string().max(100).optional().describe("Likewise."),
  execution_mode: z.string().max(100).optional().describe("Likewise."),
  chat_id: z
    .union([z.string().max(100), z.int()])
    .optional()
    .describe("Likewise: a project does not choose who is told what."),
  previous_batch_size: z.int().nonnegative().optional().describe("Likewise."),
} as const;
