import { constants } from "node:os";
import { expect, test } from "vitest";
import { explainFor } from "./store-error.ts";

test("PR-18: a used up quota, for which Node has no name, is told as a full disk", () => {
  const number = constants.errno.EDQUOT;
  const said = `Unknown system error -${number}: Unknown system error -${number}, open '/state/journal.db'`;
  const error = Object.assign(new Error(said), { errno: -number, code: `Unknown system error -${number}` });
  const explained = explainFor("/state/journal.db")(error);
  expect([explained.trouble, explained.message]).toEqual([
    "full",
    "/state/journal.db: the disk is full (EDQUOT: disk quota exceeded, open '/state/journal.db'); free some space, then try again",
  ]);
});
