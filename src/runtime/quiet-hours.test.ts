import { afterEach, expect, test } from "vitest";
import { quietPeriods } from "./quiet-hours.ts";

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});
const hour = 3_600_000;
const at = (text: string): number => new Date(text).getTime();

test("E: quiet hours that pass midnight are those of last night, tonight and the nights that a wait may last", () => {
  process.env.TZ = "UTC";
  const periods = quietPeriods("22:00-07:00", at("2026-11-16T03:00:00Z"));
  expect(periods.slice(0, 2)).toEqual([
    { from: at("2026-11-15T22:00:00Z"), to: at("2026-11-16T07:00:00Z") },
    { from: at("2026-11-16T22:00:00Z"), to: at("2026-11-17T07:00:00Z") },
  ]);
  expect(periods.at(-1)).toEqual({ from: at("2026-11-25T22:00:00Z"), to: at("2026-11-26T07:00:00Z") });
  expect(quietPeriods("22:00-07:00", at("2026-11-16T08:00:00Z"))[0]?.from).toBe(at("2026-11-16T22:00:00Z"));
});

test("E: quiet hours within a day are of that day, and those that are over are not told", () => {
  process.env.TZ = "UTC";
  const [first] = quietPeriods("09:30-17:00", at("2026-11-16T17:00:00Z"));
  expect(first).toEqual({ from: at("2026-11-17T09:30:00Z"), to: at("2026-11-17T17:00:00Z") });
  expect(quietPeriods(undefined, 0)).toEqual([]);
});

test("E: they follow the clock on the wall through the nights in which it is set", () => {
  process.env.TZ = "Europe/Berlin";
  const lengths = (day: string) => {
    const [first] = quietPeriods("22:00-07:00", at(day));
    return first === undefined ? null : (first.to - first.from) / hour;
  };
  expect(["2026-03-27", "2026-03-28", "2026-10-23", "2026-10-24"].map((day) => lengths(`${day}T12:00:00Z`))).toEqual([
    9, 8, 9, 10,
  ]);
});
