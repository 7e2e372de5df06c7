import { expect, test } from "vitest";
import { namingFile, remedyOf } from "./file-error.ts";

const systemError = (message: string, fields: Record<string, unknown>): Error =>
  Object.assign(new Error(message), { syscall: "write", ...fields });

const named = async (error: unknown): Promise<unknown> =>
  Promise.reject(error)
    .catch(namingFile("/p/a"))
    .catch((thrown: unknown) => thrown);

test("PR-18: an error of a call on an open file names the file", async () => {
  const error = systemError("ENOSPC: no space left on device, write", { errno: -28, code: "ENOSPC" });
  expect(await named(error)).toMatchObject({ message: "ENOSPC: no space left on device, write '/p/a'", path: "/p/a" });
});

test.each([
  ["Unknown system error -122: Unknown system error -122, write", "Unknown system error -122"],
  ["UNKNOWN: unknown error, write", "UNKNOWN"],
])("PR-18: a quota that is used up has a name, whatever Node calls it: %s", async (message, code) => {
  const error = systemError(message, { errno: -122, code });
  expect(await named(error)).toMatchObject({ message: "EDQUOT: disk quota exceeded, write '/p/a'", code: "EDQUOT" });
});

test("an error that names its file, and one that is none of the system's, stay as they are", async () => {
  const message = "EIO: i/o error, open '/p/b'";
  expect(await named(systemError(message, { errno: -5, path: "/p/b" }))).toMatchObject({ message, path: "/p/b" });
  const other = new Error("other");
  expect([await named(other), Object.keys(other)]).toEqual([other, []]);
});

test("PR-18: every error of the system has a next step", () => {
  const next = (fields: Record<string, unknown>) => remedyOf(systemError("", fields));
  expect([next({ errno: -28, code: "ENOSPC" }), next({ errno: -122, code: "UNKNOWN" })]).toEqual([
    "free some space, then try again",
    "free some space, then try again",
  ]);
  expect(next({ errno: -30, code: "EROFS" })).toBe("make the place writable, then try again");
  expect(next({ errno: -5, code: "EIO" })).toBe("remove the cause, then try again");
});
