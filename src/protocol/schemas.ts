// The JSON Schemas that are published for editors and other tools, made from the schemas we check with ourselves.
import * as z from "zod";
import { ProcessIdentity } from "./agent.ts";
import { Config } from "./config.ts";
import { Effect } from "./effect.ts";
import { bodySchema, eventTypes } from "./event.ts";
import { Failure } from "./failure.ts";
import { HandoffFile } from "./handoff.ts";
import { FeaturesFile, PhaseTasksFile } from "./plan-files.ts";
import { Limits, TaskSpec } from "./task.ts";
import { tasksFileJsonSchema } from "./tasks-file.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** By file name; draft 2020-12. Without `$id`, so that each is addressed by wherever it lies. */
export const publishedSchemas = (): Readonly<Record<string, JsonSchema>> => ({
  "config.schema.json": titled(
    "Harness configuration",
    "~/.config/harness/config.json and .harness/config.json. Every key may be left out.",
    z.toJSONSchema(Config, { io: "input" }),
  ),
  "tasks.schema.json": titled("Harness task file", "harness-tasks.json, version 2.", tasksFileJsonSchema()),
  "features.schema.json": titled(
    "Features",
    ".harness/features.json, adopted when a project has no task file.",
    z.toJSONSchema(FeaturesFile, { io: "input" }),
  ),
  "phase-tasks.schema.json": titled(
    "Tasks in phases",
    ".harness/tasks.json, adopted when a project has neither a task file nor features.",
    z.toJSONSchema(PhaseTasksFile, { io: "input" }),
  ),
  "handoff.schema.json": titled(
    "Handoff",
    "state/handoff.json, left by an agent in its workspace. Every key may be left out.",
    z.toJSONSchema(HandoffFile, { io: "input" }),
  ),
  "event.schema.json": titled("Harness event", "One fact of a mission's journal.", eventSchema()),
});

/** Shapes that many events hold, named instead of repeated. */
const shared = { Effect, Failure, Limits, ProcessIdentity, TaskSpec };

function eventSchema(): JsonSchema {
  const [first, ...others] = eventTypes.map((type) => {
    const body = bodySchema(type);
    if (!(body instanceof z.ZodObject)) throw new Error(`the body of ${type} is no object`);
    return z.object({ type: z.literal(type), at: z.number(), ...body.shape });
  });
  if (first === undefined) throw new Error("there are no events");
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(shared)) names.add(schema, { id });
  return z.toJSONSchema(z.discriminatedUnion("type", [first, ...others]), { metadata: names });
}

function titled(title: string, description: string, { $schema, ...rest }: JsonSchema): JsonSchema {
  return { $schema, title, description, ...rest };
}
