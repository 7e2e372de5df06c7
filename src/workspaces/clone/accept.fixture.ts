// For tests: a user with finished work on the mission branch, and all of theirs that an accept must not lose.
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Accepted, AcceptRequest } from "../branch-keeping.ts";
import { commitOf, openSlot, plainGit, put, type RealGit } from "../real-git.fixture.ts";
import { value } from "../workspace.contract.ts";

let fences = 1_000;

/** One finished task; null removes a file. */
export async function finish(
  real: RealGit,
  task: string,
  files: Readonly<Record<string, string | Buffer | null>>,
): Promise<string> {
  fences += 1;
  const opening = await openSlot(real.workspaces, task, { fence: fences });
  for (const [file, content] of Object.entries(files)) {
    if (content === null) await plainGit(opening.path, "rm", "-q", "-r", "--", file);
    else await put(opening.path, file, content);
  }
  const candidate = value(await real.workspaces.commit(commitOf(opening)));
  const merged = value(await real.workspaces.merge({ candidate, task, attempt: 1 }));
  if (!merged.merged) throw new Error(`${task} was not merged`);
  value(await real.workspaces.close(opening.end));
  return merged.commit;
}

export const everything: AcceptRequest = {
  mission: "mission-x",
  tasks: null,
  squash: false,
  branch: null,
  otherwise: "checked-out",
};

export const accept = async (real: RealGit, wish: Partial<AcceptRequest> = {}): Promise<Accepted> =>
  value(await real.workspaces.accept({ ...everything, ...wish }));

/** What is refused says why in one line. */
export async function refusal(real: RealGit, wish: Partial<AcceptRequest> = {}): Promise<string> {
  const outcome = await real.workspaces.accept({ ...everything, ...wish });
  return outcome.ok
    ? `accepted: ${JSON.stringify(outcome.value)}`
    : `${outcome.failure.kind}: ${outcome.failure.message}`;
}

export async function userCommits(
  real: RealGit,
  files: Readonly<Record<string, string | Buffer>>,
  at = real.checkout,
): Promise<string> {
  for (const [file, content] of Object.entries(files)) await put(at, file, content);
  await plainGit(at, "add", "-A", "-f", "--", ...Object.keys(files));
  await plainGit(at, "commit", "-q", "-m", `user: ${Object.keys(files).join(" ")}`);
  return plainGit(at, "rev-parse", "HEAD");
}

/** Every file below a checkout, ignored ones included, by name. */
export async function filesIn(directory: string, below = ""): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(directory, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    if (path === ".git") continue;
    if (entry.isDirectory()) Object.assign(found, await filesIn(directory, path));
    else if (entry.isSymbolicLink()) found[path] = `-> ${await readlink(join(directory, path))}`;
    else {
      const { mode } = await lstat(join(directory, path));
      const bytes = await readFile(join(directory, path));
      const text = bytes.length > 200 ? createHash("sha1").update(bytes).digest("hex") : bytes.toString("latin1");
      found[path] = `${(mode & 0o100) === 0 ? "" : "x "}${text}`;
    }
  }
  return found;
}

/** All of the user's that an accept may touch. */
export async function userState(real: RealGit, at = real.checkout) {
  const git = (...args: string[]) => plainGit(at, ...args);
  return {
    files: await filesIn(at),
    head: await git("rev-parse", "HEAD").catch(() => "unborn"),
    on: await git("symbolic-ref", "-q", "HEAD").catch(() => "detached"),
    index: await git("ls-files", "-s"),
    status: await git("status", "--porcelain", "-uall"),
    refs: await git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/stash"),
    locks: (await readdir(join(real.checkout, ".git"))).filter((name) => /lock|harness/.test(name)),
    records: (await readdir(real.home)).filter((name) => name.startsWith("accept")),
  };
}
