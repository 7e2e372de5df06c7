// The hours of the day in which nobody is woken up, as moments: by the wall clock of this machine, summer time included.
import type { Period } from "../protocol/wait.ts";

/** A wait is decided for eight days at most, and may begin late on the first. */
const days = 10;

/** Of ten days, the present night included. */
export function quietPeriods(hours: string | undefined, from: number): readonly Period[] {
  if (hours === undefined) return [];
  const [begin = 0, end = 0] = hours.split("-").map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));
  const lasts = end > begin ? 0 : 1;
  return Array.from({ length: days + 1 }, (_, n) => ({
    from: minuteOf(from, n - 1, begin),
    to: minuteOf(from, n - 1 + lasts, end),
  })).filter(({ from: begins, to }) => begins < to && to > from);
}

/** A minute that a change of the clock leaves out is the one after it. */
function minuteOf(moment: number, day: number, minute: number): number {
  const today = new Date(moment);
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + day, 0, minute).getTime();
}
