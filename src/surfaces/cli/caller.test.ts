import { expect, test } from "vitest";
import { callerText, refusalOfAgent } from "./caller.ts";

test("whoever asks is named by user, host and process", () => {
  expect(callerText({})).toMatch(new RegExp(`^\\S+@\\S+ pid ${process.pid}$`));
});

const refused = async (env: Record<string, string>) =>
  (await refusalOfAgent({ env, cwd: "/", root: "/usr" }))?.kind ?? null;

test("C2: only what runs in a lane of this project is taken for an agent of it", async () => {
  expect(await refused({})).toBe(null);
  expect(await refused({ HARNESS_LANE: "0" })).toBe("usage");
  expect(await refused({ HARNESS_LANE: "" })).toBe("usage");
  expect(await refused({ HARNESS_LANE: "0", HARNESS_STATE_ROOT: "/usr/." })).toBe("usage");
  expect(await refused({ HARNESS_LANE: "0", HARNESS_STATE_ROOT: "/etc" })).toBe(null);
});
