// What a scripted agent does, step by step, and how that is written down.
import { isAbsolute } from "node:path";
import * as z from "zod";
import { FailureKind } from "../../protocol/failure.ts";
import { TaskId } from "../../protocol/ids.ts";

const InsidePath = z
  .string()
  .refine(
    (path) => path !== "" && !isAbsolute(path) && !path.includes("\0") && !path.split("/").includes(".."),
    "must be a path inside the workspace: relative and without ..",
  );

const End = z.union(
  [
    z.enum(["finished", "unfinished"]),
    z.strictObject({ failed: FailureKind, message: z.string().max(4_000) }),
    /** A limit of its provider, for so many seconds; null: it does not say for how long. */
    z.strictObject({ limited: z.number().nonnegative().max(31_536_000).nullable(), message: z.string().max(4_000) }),
  ],
  `must be "finished", "unfinished", { limited: seconds, message } or { failed: kind, message }, with a kind of: ${FailureKind.options.join(", ")}`,
);

/** The steps by the word they start with. */
const steps = {
  say: z.strictObject({ say: z.string() }).transform(({ say }) => ({ verb: "say" as const, text: say })),
  write: z
    .strictObject({ write: InsidePath, text: z.string() })
    .transform(({ write, text }) => ({ verb: "write" as const, path: write, text })),
  append: z
    .strictObject({ append: InsidePath, text: z.string() })
    .transform(({ append, text }) => ({ verb: "append" as const, path: append, text })),
  remove: z.strictObject({ remove: InsidePath }).transform(({ remove }) => ({ verb: "remove" as const, path: remove })),
  checkpoint: z
    .strictObject({
      checkpoint: z.string().regex(/^\d{1,6}\/\d{1,6}$/, 'must be "step/total", such as "1/3"'),
      text: z.string(),
    })
    .transform(({ checkpoint, text }) => ({ verb: "checkpoint" as const, mark: checkpoint, text })),
  wait: z
    .strictObject({ wait: z.int().nonnegative().max(2_147_483_647) })
    .transform(({ wait }) => ({ verb: "wait" as const, ms: wait })),
  run: z.strictObject({ run: z.string().min(1) }).transform(({ run }) => ({ verb: "run" as const, command: run })),
  /**
   * What it tells at its end that it used: dollars, or null for a cost that nobody knows, and tokens. Each adds up.
   * `context`: how much of its context is full now, as a part of one.
   */
  use: z
    .strictObject({
      use: z.number().nonnegative().max(1_000_000).nullable(),
      tokens: z.int().nonnegative().default(0),
      context: z.number().nonnegative().max(1).optional(),
    })
    .transform(({ use, tokens, context }) => ({ verb: "use" as const, usd: use, tokens, context })),
  /** Says what it was told while it works, or nothing. */
  hear: z.strictObject({ hear: z.literal(true) }).transform(() => ({ verb: "hear" as const })),
  crash: z.strictObject({ crash: z.literal(true) }).transform(() => ({ verb: "crash" as const })),
  end: z.strictObject({ end: End }).transform(({ end }) => ({ verb: "end" as const, end })),
};
export type Step = z.output<(typeof steps)[keyof typeof steps]>;

/** Read by its verb first, so that an error is about that verb and not about every step there is. */
const Step = z.unknown().transform((written, context): Step => {
  const verb = Object.keys(steps).find((name) => typeof written === "object" && written !== null && name in written);
  if (verb === undefined) {
    const message = `must be an object with one of: ${Object.keys(steps).join(", ")}`;
    context.issues.push({ code: "custom", message, input: written });
    return z.NEVER;
  }
  const parsed = steps[verb as keyof typeof steps].safeParse(written);
  if (parsed.success) return parsed.data;
  for (const { message, path } of parsed.error.issues) {
    context.issues.push({ code: "custom", message, path: [...path], input: written });
  }
  return z.NEVER;
});

export const Script = z.strictObject({
  /** By task, then by attempt; the last attempt's steps repeat. */
  tasks: z.record(TaskId, z.array(z.array(Step)).min(1, "must hold the steps of at least one attempt")).default({}),
  /** For tasks that are not listed. */
  default: z.array(Step).optional(),
});
export type Script = z.output<typeof Script>;

/**
 * The steps of one iteration, or null when the script says nothing about the task. Steps after an `end` belong to the
 * attempt's next iteration; the last iteration's repeat.
 */
export function stepsFor(
  script: Script,
  at: { readonly task: TaskId; readonly attempt: number; readonly iteration: number },
): readonly Step[] | null {
  const attempts = script.tasks[at.task];
  const all = attempts === undefined ? script.default : attempts[Math.min(at.attempt, attempts.length) - 1];
  if (all === undefined) return null;
  const ends = all.flatMap((step, index) => (step.verb === "end" ? [index + 1] : [])).filter((end) => end < all.length);
  const iteration = Math.min(at.iteration, ends.length + 1);
  return all.slice(ends[iteration - 2] ?? 0, ends[iteration - 1] ?? all.length);
}
