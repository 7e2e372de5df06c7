import { expect, test } from "vitest";
import { explainFor, type StoreError, type StoreTrouble } from "./store-error.ts";

const explain = explainFor("/state/journal.db");
const coded = (fields: object): Error => Object.assign(new Error("the reason"), fields);

test("PR-18: every known trouble is told apart, by the codes of both libraries and of the file system", () => {
  const table: readonly [fields: object, trouble: StoreTrouble][] = [
    [{ errcode: 5 }, "busy"],
    [{ rawCode: 5, code: "SQLITE_BUSY" }, "busy"],
    [{ errcode: 261 }, "busy"],
    [{ rawCode: 6 }, "busy"],
    [{ errcode: 8 }, "denied"],
    [{ rawCode: 1032 }, "moved"],
    [{ errcode: 13 }, "full"],
    [{ rawCode: 14 }, "denied"],
    [{ errcode: 11 }, "damaged"],
    [{ rawCode: 26 }, "damaged"],
    [{ errcode: 10 }, "failed"],
    [{ code: "EACCES" }, "denied"],
    [{ code: "EROFS" }, "denied"],
    [{ code: "ENOSPC" }, "full"],
    [{ code: "MODULE_NOT_FOUND" }, "noLibrary"],
    [{ code: "ENOTDIR" }, "failed"],
    [{}, "failed"],
  ];
  expect(table.map(([fields]) => [fields, explain(coded(fields)).trouble])).toEqual(table);
});

test("the message names the file, the cause and the next step, and the original stays as cause", () => {
  const original = coded({ code: "ENOSPC" });
  const { name, message, path, cause }: StoreError = explain(original);
  expect({ name, message, path, cause }).toEqual({
    name: "StoreError",
    message: "/state/journal.db: the disk is full (the reason); free some space, then try again",
    path: "/state/journal.db",
    cause: original,
  });
});

test("what is explained already stays as it is", () => {
  const first = explain("odd");
  expect(explain(first)).toBe(first);
});
