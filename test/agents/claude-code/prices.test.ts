// Our tables of prices and contexts against Claude Code's own figures.
import { afterEach, expect, test } from "vitest";
import { priceOf, prices } from "../../../src/drivers/claude-code/prices.ts";
import { windowOf } from "../../../src/drivers/claude-code/windows.ts";
import { Scenario } from "../mock-model/scenario.ts";
import { play, strike } from "./stage.ts";

afterEach(strike);

/** No sum of two is a sum of two others, whatever the prices. */
const usage = { input: 1_000, output: 170, cacheRead: 13_000, cacheWrite: 1_100 };

test.for(Object.keys(prices))(
  "B2, I6: %s costs what the table says, to a billionth of a dollar, and takes as much",
  async (model) => {
    const scenario = Scenario.parse({ about: "one answer", steps: [{ text: "done", usage }] });
    const { end, stream } = await play({ scenario, options: { model } });
    const price = priceOf(model);
    const usd =
      usage.input * (price?.input ?? 0) +
      usage.output * (price?.output ?? 0) +
      usage.cacheRead * (price?.cacheRead ?? 0) +
      usage.cacheWrite * (price?.cacheWrite ?? 0);
    expect(end?.account?.cost).toEqual({ basis: "reported", usd: Math.round(usd * 1e3) / 1e9 });
    expect(windowOf(model)).toBe(Number(/"contextWindow":(\d+)/.exec(stream)?.[1]));
  },
);

test("B2: what Claude Code has no price for has no cost, though it names one", async () => {
  const { end } = await play({ scenario: "greeting", options: { model: "no-such-model" } });
  expect(end?.account?.cost).toEqual({ basis: "unknown" });
});
