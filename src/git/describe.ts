// What the user's checkout is, for those who choose where a mission lives. Reads only, except for `excludeFromGit`.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { writeFileAtomic } from "../kit/atomic-file.ts";
import { makeFolder } from "../kit/make-folder.ts";
import type { Outcome } from "../protocol/failure.ts";
import { gitIn, gitInWithoutFilters, refuseGit, shownPath } from "./git.ts";
import { answer, refuse } from "./refusal.ts";
import { findRepository } from "./user-repository.ts";

export interface RepositoryPlace {
  readonly toplevel: string;
  /** The directory asked about, relative to the top; "" at the top itself. */
  readonly prefix: string;
}

export const describeRepository = (directory: string): Promise<Outcome<RepositoryPlace>> =>
  answer(async () => {
    await findRepository(directory);
    const args = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--show-prefix"];
    const found = await gitIn(directory, args);
    if (found.code !== 0) refuseGit(args, found);
    const [toplevel = "", prefix = ""] = found.stdout.toString("utf8").split("\n");
    const head = await gitIn(directory, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    if (head.code !== 0) {
      refuse({
        kind: "env_setup",
        message: `the git repository ${toplevel} has no commits: there is nothing to start from`,
        remedy: "commit once (git add … && git commit), then run it again",
      });
    }
    return { toplevel, prefix: prefix.replace(/\/$/, "") };
  });

/** All directories git reads of the repository, besides the checkout: they may lie anywhere. */
export const repositoryPlaces = (directory: string): Promise<Outcome<readonly string[]>> =>
  answer(async () => {
    const { gitDir, commonDir, objectsDir } = await findRepository(directory);
    return [gitDir, commonDir, ...(await borrowedFrom(objectsDir, 0))];
  });

/** As deep as git itself follows. */
const deepest = 5;

async function borrowedFrom(objectsDir: string, depth: number): Promise<readonly string[]> {
  const text = depth < deepest ? await readFile(join(objectsDir, "info", "alternates"), "utf8").catch(() => "") : "";
  const stores = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const named = stores.map((line) => resolve(objectsDir, line));
  return [...named, ...(await Promise.all(named.map((store) => borrowedFrom(store, depth + 1)))).flat()];
}

/** What the user ignores in all of his repositories counts here, too: patterns, nothing that could run. */
const everywhere = async (directory: string): Promise<string[]> => [
  "-c",
  `core.excludesFile=${(await findRepository(directory)).excludesFile}`,
];

/** The branch that is checked out. */
export const checkedOutBranch = (directory: string): Promise<Outcome<string>> =>
  answer(async () => {
    const found = await gitIn(directory, ["symbolic-ref", "--quiet", "HEAD"]);
    const ref = found.stdout.toString("utf8").trim();
    if (found.code === 0 && ref.startsWith("refs/heads/")) return ref.slice("refs/heads/".length);
    return refuse({
      kind: "config",
      message: `the checkout ${directory} is on no branch: in place there is nothing to commit to`,
      remedy: "git switch a branch, or work in clones: --workspace clone",
    });
  });

/** Files of the checkout that differ from HEAD or are untracked: a private clone does not have them. */
export const uncommittedFiles = (directory: string): Promise<Outcome<readonly string[]>> =>
  answer(async () => {
    const options = ["--untracked-files=normal", "--no-renames", "--ignore-submodules=all"];
    const args = ["status", "--porcelain=v1", "-z", ...options];
    const listed = await gitInWithoutFilters(directory, [...(await everywhere(directory)), ...args]);
    if (listed.code !== 0) refuseGit(args, listed);
    return listed.stdout
      .toString("latin1")
      .split("\0")
      .filter((entry) => entry !== "")
      .map((entry) => shownPath(entry.slice(3)));
  });

/** Adds patterns to the repository's own exclude list, which is never committed. Those present stay as they are. */
export const excludeFromGit = (directory: string, patterns: readonly string[]): Promise<Outcome<null>> =>
  answer(async () => {
    const { commonDir } = await findRepository(directory);
    const file = join(commonDir, "info", "exclude");
    const text = await readFile(file, "utf8").catch(() => "");
    const present = new Set(text.split("\n"));
    const missing = patterns.filter((pattern) => !present.has(pattern));
    if (missing.length === 0) return null;
    await makeFolder(join(commonDir, "info"));
    const glue = text === "" || text.endsWith("\n") ? "" : "\n";
    await writeFileAtomic(file, `${text}${glue}${missing.join("\n")}\n`, { mode: 0o644 });
    return null;
  });

/** Which of these plain names, from `directory`, git ignores, whether they are there or not; a directory ends with a slash. */
export const ignoredPaths = (directory: string, paths: readonly string[]): Promise<Outcome<readonly string[]>> =>
  answer(async () => {
    const args = ["check-ignore", "--", ...paths];
    const listed = await gitIn(directory, [...(await everywhere(directory)), ...args]);
    // 1 is how it says that none is.
    if (listed.code > 1) refuseGit(args, listed);
    return listed.stdout.toString("utf8").split("\n").slice(0, -1);
  });
