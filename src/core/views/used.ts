// What agents used, as people are shown it.
import type { Used } from "../../protocol/account.ts";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { Tally } from "../evolve/used.ts";

export const usedView = ({ turns, tokens, nanoUsd, unknown, lost, open }: DeepReadonly<Tally>): Used => ({
  turns,
  tokens: { ...tokens },
  usd: nanoUsd / 1e9,
  unknown,
  lost,
  open,
});

/** `1.2k tokens, $0.03`; null where agents tell nothing, and none was lost that might have. */
export function usedText({ tokens, usd, unknown, lost }: Used): string | null {
  const all = tokens.input + tokens.cached + tokens.output;
  const iterations = unknown === 1 ? "1 iteration" : `${unknown} iterations`;
  if (all === 0 && usd === 0) return lost === 0 ? null : `unknown: ${iterations} did not tell`;
  const more = unknown === 0 ? "" : ` and what ${iterations} did not tell`;
  return `${tokensText(all)} tokens (${tokensText(tokens.cached)} of them cached), ${moneyText(usd)}${more}`;
}

/** As short as it can be: `$0.03`, with a mark if that is not all. Empty where nothing is known. */
export const costText = ({ usd, unknown }: Used): string =>
  usd === 0 ? "" : `${moneyText(usd)}${unknown === 0 ? "" : " + unknown"}`;

/** To the cent; less than one with what it has of digits that matter. */
export function moneyText(usd: number): string {
  if (usd >= 0.01 || usd === 0) return `$${usd.toFixed(2)}`;
  return usd < 0.0001 ? "under $0.0001" : `$${usd.toFixed(4)}`;
}

export function tokensText(count: number): string {
  if (count < 1_000) return String(count);
  // What would be rounded to a thousand thousands is a million.
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
