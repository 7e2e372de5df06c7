import { expect, test } from "vitest";
import { callerText, refusalOfAgent } from "./caller.ts";

test("whoever asks is named by user, host and process", () => {
  expect(callerText({})).toMatch(new RegExp(`^\\S+@\\S+ pid ${process.pid}$`));
});

test("C2: only what runs in a lane is taken for an agent", () => {
  expect(refusalOfAgent({})).toBe(null);
  expect(refusalOfAgent({ HARNESS_LANE: "0" })).toMatchObject({ kind: "usage" });
  expect(refusalOfAgent({ HARNESS_LANE: "" })).toMatchObject({ kind: "usage" });
});
