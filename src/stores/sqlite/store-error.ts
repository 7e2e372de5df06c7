// Expected trouble with the file, as one error whose message names the file, the cause and the next step.
import { causeOf, isQuota } from "../../kit/file-error.ts";

const troubles = {
  missing: ["there is no journal here", "start a mission first, or check the path"],
  newer: ["written by a newer Harness, nothing was changed", "update Harness"],
  foreign: ["this is another program's database", "move it away, or choose another state folder"],
  damaged: ["not a readable journal", "keep a copy, then restore the file from a backup"],
  busy: ["kept locked by another process", "end that process, then try again"],
  denied: ["cannot be opened or written", "check this user's rights on the file and its folder"],
  full: ["the disk is full", "free some space, then try again"],
  moved: ["moved or deleted while in use", "put it back, then start again"],
  replaced: ["replaced while in use", "start again, so that it is read anew"],
  readOnly: ["opened for reading only", "open it for writing"],
  noLibrary: ["no SQLite library works here", "use Node 22.13 or later, which brings its own"],
  failed: ["cannot be used", "remove the cause, then try again"],
} as const satisfies Record<string, readonly [cause: string, remedy: string]>;

export type StoreTrouble = keyof typeof troubles;

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly trouble: StoreTrouble;
  readonly path: string;

  constructor(trouble: StoreTrouble, path: string, detail?: string, options?: ErrorOptions) {
    const [cause, remedy] = troubles[trouble];
    super(`${path}: ${cause}${detail ? ` (${detail})` : ""}; ${remedy}`, options);
    this.trouble = trouble;
    this.path = path;
  }
}

/** Turns what SQLite or the file system threw into a StoreError. */
export function explainFor(path: string): (error: unknown) => StoreError {
  return (error) => {
    if (error instanceof StoreError) return error;
    return new StoreError(troubleOf(error), path, causeOf(error), { cause: error });
  };
}

/** SQLite's primary result codes; both libraries report them. */
const bySqliteCode: Readonly<Record<number, StoreTrouble>> = {
  3: "denied",
  5: "busy",
  6: "busy",
  8: "denied",
  11: "damaged",
  13: "full",
  14: "denied",
  23: "denied",
  26: "damaged",
};
const readOnlyBecauseMoved = 1032;

const bySystemCode: Readonly<Record<string, StoreTrouble>> = {
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENOSPC: "full",
  EDQUOT: "full",
  MODULE_NOT_FOUND: "noLibrary",
  ERR_MODULE_NOT_FOUND: "noLibrary",
  ERR_DLOPEN_FAILED: "noLibrary",
};

function troubleOf(error: unknown): StoreTrouble {
  if (typeof error !== "object" || error === null) return "failed";
  const sqliteCode = numberIn(error, "errcode") ?? numberIn(error, "rawCode");
  if (sqliteCode === readOnlyBecauseMoved) return "moved";
  if (sqliteCode !== undefined) return bySqliteCode[sqliteCode & 0xff] ?? "failed";
  if (isQuota(error)) return "full";
  return "code" in error ? (bySystemCode[String(error.code)] ?? "failed") : "failed";
}

function numberIn(error: object, field: "errcode" | "rawCode"): number | undefined {
  const value: unknown = Reflect.get(error, field);
  return typeof value === "number" ? value : undefined;
}
