// Random numbers that can be had again: the seed is in HARNESS_E2E_SEED, else it is new.

export function createRandom(): { readonly seed: number; readonly random: () => number } {
  const seed = Number(process.env.HARNESS_E2E_SEED ?? Math.floor(Math.random() * 2 ** 32));
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, random };
}
