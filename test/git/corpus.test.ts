import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { traps } from "../corpus/hostile-git.ts";
import { fire, makeTrapped, plain, plantTrap, removeTemplate } from "./trapped.ts";

afterAll(removeTemplate);

const version =
  /(\d+)\.(\d+)/
    .exec(await plain("/", "version"))
    ?.slice(1)
    .map(Number) ?? [];
const known = (since = "0.0"): boolean => {
  const [major = 0, minor = 0] = since.split(".").map(Number);
  return (version[0] ?? 0) > major || (version[0] === major && (version[1] ?? 0) >= minor);
};

test("PR-12: the corpus has at least 40 traps, each with a name of its own", () => {
  const names = new Set(traps.map(({ name }) => name));
  expect(names.size).toBe(traps.length);
  expect(names.size).toBeGreaterThanOrEqual(40);
});

test.each(traps.filter(({ since }) => known(since)))(
  "PR-12: the trap is real: plain git runs the program of $name",
  async (trap) => {
    const trapped = await makeTrapped();
    const place = await trapped.placeOf(trap, join(trapped.checkout, ".git"), trapped.checkout);
    const environment = await plantTrap(trap, place);
    expect(await trapped.sprung()).toEqual([]);
    await fire(trap, place, environment);
    expect(await trapped.sprung()).toEqual([trap.name]);
  },
);
