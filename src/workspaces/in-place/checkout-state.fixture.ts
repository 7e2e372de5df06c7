// For tests: all of a checkout that must be as it was, as one value to compare.
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { plainGit } from "../real-git.fixture.ts";

export interface CheckoutState {
  readonly files: Readonly<Record<string, string>>;
  readonly head: string;
  readonly branches: string;
  /** Hash of the index, byte by byte. */
  readonly index: string;
  readonly underWay: readonly string[];
}

/** Every file outside the git directory, by its path. */
export async function filesOf(checkout: string, without: readonly string[] = []): Promise<CheckoutState["files"]> {
  const files: Record<string, string> = {};
  const look = async (directory: string): Promise<void> => {
    for (const entry of await readdir(join(checkout, directory), { withFileTypes: true })) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (path === ".git" || without.includes(path)) continue;
      if (entry.isDirectory()) await look(path);
      else if (entry.isSymbolicLink()) files[path] = `→ ${await readlink(join(checkout, path))}`;
      else {
        const mode = (await lstat(join(checkout, path))).mode & 0o100 ? "x " : "";
        files[path] = `${mode}${await readFile(join(checkout, path), "latin1")}`;
      }
    }
  };
  await look("");
  return files;
}

export async function stateOf(checkout: string, { without = [] as readonly string[] } = {}): Promise<CheckoutState> {
  const marks = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "index.lock"];
  const inGit = await readdir(join(checkout, ".git"));
  return {
    files: await filesOf(checkout, without),
    head: await readFile(join(checkout, ".git/HEAD"), "utf8"),
    branches: await plainGit(checkout, "rev-parse", "main"),
    index: createHash("sha256")
      .update(await readFile(join(checkout, ".git/index")))
      .digest("hex"),
    underWay: marks.filter((name) => inGit.includes(name)),
  };
}
