// What an agent may ask of the run that started it: one line of JSON, one line back, over the socket of its attempt.
// There is no field for an attempt or a fence: whoever has the socket speaks for that one, and for no other.
import * as z from "zod";
import { TaskId } from "./ids.ts";
import { Told } from "./told.ts";
import { StatusView } from "./view.ts";

/** In bytes; longer lines are not read to their end. */
export const longestRequest = 131_072;

/** `task` is only compared: the task of the attempt, if it is not given. */
export const MarkRequest = z.strictObject({
  verb: z.literal("checkpoint"),
  task: TaskId.optional(),
  step: z.int().nonnegative().max(1_000_000),
  total: z.int().positive().max(1_000_000),
  description: z.string().max(2_000),
});

export const SocketRequest = z.discriminatedUnion("verb", [
  MarkRequest,
  z.strictObject({ verb: z.literal("status") }),
  Told,
]);
export type SocketRequest = z.infer<typeof SocketRequest>;

export const SocketAnswer = z.discriminatedUnion("ok", [
  /** `said`: what came of it, in words for the agent. */
  z.object({ ok: z.literal(true), view: StatusView.nullable(), said: z.string() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);
export type SocketAnswer = z.infer<typeof SocketAnswer>;
