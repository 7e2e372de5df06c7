// Roles: what an agent is, apart from the task it is given. Others come with the parts of a mission that they play.
import * as z from "zod";

export const RoleName = z.enum(["worker", "summariser"]);
export type RoleName = z.output<typeof RoleName>;

/** It becomes an argument of a program: one that begins like an option could be taken for one. */
export const ModelName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^(?!-)/, "must not begin with '-'");

export const Effort = z.enum(["low", "medium", "high", "xhigh", "max"]);
export type Effort = z.output<typeof Effort>;

/** Both as the agent names them; what is not given is the driver's option, or the agent's own setting. */
export const ModelChoice = z.strictObject({ model: ModelName.optional(), effort: Effort.optional() });
export type ModelChoice = z.output<typeof ModelChoice>;

/** Which model plays which role. */
export type Models = Readonly<Partial<Record<RoleName, ModelChoice>>>;
