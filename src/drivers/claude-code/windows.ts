// How many tokens the models that Claude Code runs on can take.
// Each was found to be what Claude Code itself says (test/agents/claude-code/prices.test.ts), which it does too late: at
// the end.
import { plainName } from "./prices.ts";

const usual = 200_000;
const large = 1_000_000;

/** By a model's name, which a date may follow; of another one the smaller is believed. */
const largeOnes = new Set([
  "claude-fable-5-2",
  "claude-haiku-5-5",
  "claude-opus-4-8",
  "claude-opus-5",
  "claude-opus-5-5",
  "claude-sonnet-5",
  "claude-sonnet-5-5",
]);

export const windowOf = (model: string): number =>
  model.endsWith("[1m]") || largeOnes.has(plainName(model)) ? large : usual;
