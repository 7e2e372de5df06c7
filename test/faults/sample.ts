// Which of all points are tried: in npm test a sample that the seed decides, with HARNESS_CHAOS=all every one.

export const isWhole = process.env.HARNESS_CHAOS === "all";
/** Says which points a sample takes; the next seed takes the next ones. */
export const seed = Number(process.env.HARNESS_CHAOS_SEED ?? 0);

/** Every `step`-th, beginning where the seed says; of the whole sweep every `wholeStep`-th. */
export function sample<T>(all: readonly T[], step: number, wholeStep = 1): readonly T[] {
  const every = isWhole ? wholeStep : step;
  return all.filter((_, at) => at % every === seed % every);
}

export const howMuch = isWhole ? "HARNESS_CHAOS=all" : `a sample, seed ${seed}`;
