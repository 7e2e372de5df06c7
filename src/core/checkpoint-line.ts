// Rule A2: an agent marks its progress by a line of output, `CHECKPOINT step=M/N "text"`.
import { Checkpoint } from "../protocol/task.ts";

const shape = /^\s*CHECKPOINT step=(\d{1,6})\/(\d{1,6}) "(.*)"\s*$/;

/** The mark in a line, without its tree, or null: anything that does not fit exactly is only talk. */
export function parseCheckpoint(line: string): Omit<Checkpoint, "tree"> | null {
  const found = shape.exec(line);
  if (found === null) return null;
  const [, step, total, description] = found;
  const parsed = Checkpoint.omit({ tree: true }).safeParse({ step: Number(step), total: Number(total), description });
  return parsed.success ? parsed.data : null;
}
