import { expect, test } from "vitest";
import { namingFile } from "./file-error.ts";

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

test("PR-18: a quota that is used up has a name", async () => {
  const error = systemError("Unknown system error -122: Unknown system error -122, write", {
    errno: -122,
    code: "Unknown system error -122",
  });
  expect(await named(error)).toMatchObject({ message: "EDQUOT: disk quota exceeded, write '/p/a'", code: "EDQUOT" });
});

test("an error that names its file, and one that is none of the system's, stay as they are", async () => {
  const message = "EIO: i/o error, open '/p/b'";
  expect(await named(systemError(message, { errno: -5, path: "/p/b" }))).toMatchObject({ message, path: "/p/b" });
  const other = new Error("other");
  expect([await named(other), Object.keys(other)]).toEqual([other, []]);
});
