// Files that a task must leave behind: declared before, looked at before its promise is believed (rule G1).
import * as z from "zod";

/** `*` and `?` match within a name, `**` any number of folders; all else stands for itself, brackets too. */
const segments = /^(?![-~])(?!.*\\)(?!(?:.*\/)?(?:\.{1,2}|\.git)?(?:\/|$))[^\p{Cc}]+$/u;

export const OutputPath = z
  .string()
  .max(500)
  .regex(segments, "must be a path or pattern inside the project, such as report.md or notes/*.json");

export const mostOutputs = 50;
export const Outputs = z.array(OutputPath).max(mostOutputs);
export type Outputs = z.infer<typeof Outputs>;
