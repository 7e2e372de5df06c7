// List prices, in US dollars for a million tokens, of the models that Claude Code runs on.
// Each row was found to be Claude Code's own (test/agents/claude-code/prices.test.ts); one that it does not price is none.
import * as z from "zod";

const dollars = z.number().nonnegative().max(1_000_000);
export const Price = z.strictObject({ input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars });
type Price = z.infer<typeof Price>;
export type Prices = Readonly<Record<string, Price>>;

/** By the beginning of a model's name, which a date may follow. */
export const prices: Readonly<Record<string, Price>> = {
  "claude-fable-5-2": { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10 },
  "claude-haiku-4-5": { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  "claude-haiku-5-5": { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
  "claude-opus-4-5": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-8": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-opus-5": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-opus-5-5": { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  "claude-sonnet-4-5": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-sonnet-4-6": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-sonnet-5": { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  "claude-sonnet-5-5": { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
};

/** What follows a model's name: a date, or the size of its context. */
export const plainName = (model: string): string => model.replace(/\[.*\]$/, "").replace(/-\d{8}$/, "");

const inTable = (table: Prices, model: string): Price | null =>
  [model, plainName(model)].flatMap((name) => (Object.hasOwn(table, name) ? [table[name] ?? null] : []))[0] ?? null;

/** The user's own go before ours. */
export const priceOf = (model: string, own: Prices = {}): Price | null => inTable(own, model) ?? inTable(prices, model);
export const hasOwnPrice = (model: string, own: Prices): boolean => inTable(own, model) !== null;
