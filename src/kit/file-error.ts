// Node's errors of calls on an open file do not say which file, and it has no name for a quota that is used up.
import { constants } from "node:os";

/** Node gives it a number for a code. */
export const isQuota = (error: object): boolean => "errno" in error && error.errno === -constants.errno.EDQUOT;

/** What an error says, with the cause by its name. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isQuota(error)
    ? error.message.replace(
        /^(?:(?:Unknown system error -\d+(?:: )?)+|UNKNOWN: unknown error)/,
        "EDQUOT: disk quota exceeded",
      )
    : error.message;
}

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: "free some space, then try again",
  EDQUOT: "free some space, then try again",
  EACCES: "check this user's rights on the file and its folder, then try again",
  EPERM: "check this user's rights on the file and its folder, then try again",
  EROFS: "make the place writable, then try again",
  EMFILE: "let this user have more files open (ulimit -n), then try again",
  ENFILE: "end programs that have many files open, then try again",
};

/** The next step after an error of the system. */
export function remedyOf(error: object): string {
  const code = isQuota(error) ? "EDQUOT" : "code" in error ? String(error.code) : "";
  return remedies[code] ?? "remove the cause, then try again";
}

/** For `catch`: throws the same error, with the path and the cause in its message and fields. */
export const namingFile =
  (path: string) =>
  (error: unknown): never => {
    if (error instanceof Error && "errno" in error && "syscall" in error) {
      const cause = causeOf(error);
      const name = "path" in error ? String(error.path) : path;
      error.message = cause.includes("'") ? cause : `${cause} '${name}'`;
      Object.assign(error, { path: name, ...(isQuota(error) && { code: "EDQUOT" }) });
    }
    throw error;
  };
