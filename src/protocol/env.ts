// Which variables of the user's environment reach the programs that are started.
import * as z from "zod";

/** A variable by its name, or all that begin alike: `DATABASE_URL`, `AWS_*`, `*`. */
const VariablePattern = z
  .string()
  .regex(/^(?:[A-Za-z_][A-Za-z0-9_]{0,99}\*?|\*)$/, "must be the name of a variable, or its beginning and a *: AWS_*");

export const VariablePatterns = z.array(VariablePattern).max(200);

export const PassedEnv = z.strictObject({
  pass: VariablePatterns.default([]).describe("To every program: agents, validations, set-ups, cleanups."),
  agent: VariablePatterns.default([]).describe("To agents alone, such as the key of a model."),
});
export type PassedEnv = z.output<typeof PassedEnv>;
