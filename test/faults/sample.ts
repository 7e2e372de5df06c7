// How many of all points are tried: a few in npm test; with HARNESS_CHAOS many, all, or every – all, with every variation.

const level = process.env.HARNESS_CHAOS ?? "few";
/** Says which points a sample takes: the next seed takes the next ones. */
const seed = Number(process.env.HARNESS_CHAOS_SEED ?? 0);

/** "2/3": the second of three who share the work of `all`. */
const [part = 1, parts = 1] = (process.env.HARNESS_CHAOS_SHARE ?? "1/1").split("/").map(Number);

/** "100-200": only the points from the 100th on to the 200th, for a sweep that goes on where one was cut short. */
const [from = 0, to = Number.POSITIVE_INFINITY] = (process.env.HARNESS_CHAOS_RANGE ?? "0").split("-").map(Number);

/** Of so many points, one is tried. */
export interface Steps {
  readonly few: number;
  readonly many: number;
}

export const sample = <T>(all: readonly T[], steps: Steps): readonly T[] => samplePart(all, { ...steps, all: 1 });

/** For variations of the rest: too much even when all of that is tried. */
export function samplePart<T>(all: readonly T[], steps: Steps & { readonly all: number }): readonly T[] {
  const step = level === "every" ? 1 : level === "all" ? steps.all : level === "many" ? steps.many : steps.few;
  return all
    .filter((_, at) => at % step === seed % step)
    .filter((_, at) => at % parts === part - 1)
    .slice(from, to);
}

const range = from === 0 && to === Number.POSITIVE_INFINITY ? "" : `, those from ${from} to ${to}`;
export const howMuch =
  level === "all" || level === "every"
    ? `every one${level === "all" ? ", of EDQUOT and EINTR a twentieth" : ""}${parts === 1 ? "" : `, part ${part} of ${parts}`}${range}`
    : `${level} of all, seed ${seed}`;
