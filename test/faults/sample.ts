// How many of all points are tried: a few in npm test, many in npm run chaos, every one with HARNESS_CHAOS=all.

const level = process.env.HARNESS_CHAOS ?? "few";
/** Says which points a sample takes: the next seed takes the next ones. */
const seed = Number(process.env.HARNESS_CHAOS_SEED ?? 0);

/** Of so many points, one is tried. */
export interface Steps {
  readonly few: number;
  readonly many: number;
}

export function sample<T>(all: readonly T[], { few, many }: Steps): readonly T[] {
  const step = level === "all" ? 1 : level === "many" ? many : few;
  return all.filter((_, at) => at % step === seed % step);
}

export const howMuch = level === "all" ? "every one" : `${level} of all, seed ${seed}`;
