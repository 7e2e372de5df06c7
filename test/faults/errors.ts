// Which errors a call can meet, and for how long.
import { isChange, type Point } from "./points.ts";
import { type Steps, sample, samplePart } from "./sample.ts";

export interface Trouble {
  readonly point: Point;
  readonly what: string;
  readonly inject: string;
  /** The same for a shorter time: where the call is made only once, that was shown with this one. */
  readonly shorter?: string;
}

const noRoom = ["ENOSPC", "EDQUOT"];
const closedOff = ["EACCES", "EROFS"];
const naming = [...noRoom, ...closedOff, "EIO"];

const errors: Readonly<Record<string, readonly string[]>> = {
  write: [...noRoom, "EIO", "EINTR"],
  pwrite64: [...noRoom, "EIO", "EINTR"],
  copy_file_range: [...noRoom, "EIO"],
  fsync: [...noRoom, "EIO", "EINTR"],
  fdatasync: [...noRoom, "EIO", "EINTR"],
  ftruncate: ["EIO", "EINTR"],
  rename: naming,
  link: naming,
  mkdir: naming,
  unlink: [...closedOff, "EIO"],
  rmdir: [...closedOff, "EIO"],
  fchmod: ["EROFS", "EIO"],
  chmod: [...closedOff, "EIO"],
  read: ["EIO", "EINTR"],
  pread64: ["EIO", "EINTR"],
  fcntl: ["EIO", "EINTR"],
};
/** Of everything else that only looks. */
const forLooking = ["EACCES", "EIO"];

function errorsOf(point: Point): readonly string[] {
  if (point.name !== "openat") return errors[point.name] ?? forLooking;
  return [...(isChange(point) ? naming : forLooking), "EMFILE", "EINTR"];
}

/** One error of a point, once and from then on. A system that interrupts for ever does not exist – libraries rightly
 * repeat without end – so that is three times in a row. */
export function troubleOf(point: Point, error: string): readonly Trouble[] {
  const shorter = `error=${error}:when=${point.nth}`;
  return [
    error === "EINTR"
      ? { point, what: "EINTR thrice", inject: `${shorter}..${point.nth + 2}`, shorter }
      : { point, what: `${error} for ever`, inject: `${shorter}+`, shorter },
    { point, what: `${error} once`, inject: shorter },
  ];
}

/**
 * Every error of a point. Of short writes strace can only fake those that take no byte at all: a larger answer would
 * claim bytes that nobody wrote.
 */
const troublesOf = (point: Point): readonly Trouble[] => [
  ...errorsOf(point).flatMap((error) => troubleOf(point, error)),
  ...(["write", "pwrite64"].includes(point.name)
    ? [{ point, what: "no byte written", inject: `retval=0:when=${point.nth}` }]
    : []),
];

/** A full quota is a full disk by another name, and an interrupted call is repeated. */
const isVariation = ({ what }: Trouble): boolean => /EDQUOT|EINTR/.test(what);

/** What is tried of all the errors that these points can meet. */
export function sampleTroubles(points: readonly Point[], { few, many }: Steps): readonly Trouble[] {
  const all = points.flatMap(troublesOf);
  const others = all.filter((one) => !isVariation(one));
  const variations = samplePart(all.filter(isVariation), { few: 3 * few, many: 3 * many, all: 20 });
  return [...sample(others, { few, many }), ...variations];
}
