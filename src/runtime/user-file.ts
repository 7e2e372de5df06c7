// A small file of ours in the user's data: read whole and believed only if it is what we write, replaced whole.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomic } from "../kit/atomic-file.ts";
import { createFolderDurably } from "../kit/durable-folder.ts";
import { causeOf } from "../kit/file-error.ts";
import { type Failure, failed, type Outcome, succeeded } from "../protocol/failure.ts";

const maxBytes = 16_000_000;

/** A schema of the protocol. */
interface Schema<T> {
  safeParse(content: unknown): { readonly data?: T | undefined };
}

/** Null where there is none yet. */
export function readUserFile<T>(path: string, schema: Schema<T>): Outcome<T | null> {
  try {
    const text = readFileSync(path, "utf8");
    const parsed = text.length > maxBytes ? null : schema.safeParse(JSON.parse(text)).data;
    return parsed ? succeeded(parsed) : failed(unreadable(path, "it is not what this version writes"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return succeeded(null);
    return failed(unreadable(path, causeOf(error)));
  }
}

/** What nobody can read says nothing, and nothing is taken for granted by it. */
const unreadable = (path: string, why: string): Failure => ({
  kind: "config",
  message: `${path} cannot be read: ${why}`,
  remedy: "mend it, or move it away: then everything is asked for again",
});

/** For its owner only. Of two that write at once one may be lost. */
export async function writeUserFile(path: string, content: unknown): Promise<Outcome<null>> {
  try {
    createFolderDurably(dirname(path), 0o700);
    await writeFileAtomic(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    return succeeded(null);
  } catch (error) {
    const message = `${path} cannot be written: ${causeOf(error)}`;
    return failed({ kind: "env_setup", message, remedy: "see that this user may write there" });
  }
}
