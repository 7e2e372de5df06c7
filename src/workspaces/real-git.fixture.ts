// For tests: a user with a real repository in a temporary directory, and an agent that uses git as it likes.
import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { restore } from "../git/rescue/restore.ts";
import { listPutAway } from "../git/rescue/shelf.ts";
import type { BranchFixture } from "./branch-keeping.contract.ts";
import { type CloneOptions, createCloneWorkspaces } from "./clone/clone-workspaces.ts";
import { value } from "./workspace.contract.ts";
import type { ArchiveRequest, Candidate, Merged, Workspaces } from "./workspace.ts";

const run = promisify(execFile);
const plainUser = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", PATH: process.env.PATH, LC_ALL: "C" };

/** git as a person or an agent runs it: hooks, filters and configuration of the place all work. */
export async function plainGit(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", [...args], { cwd, env: plainUser, maxBuffer: 1 << 26 });
  return stdout.trimEnd();
}

export async function put(directory: string, file: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(directory, file)), { recursive: true });
  await writeFile(join(directory, file), content);
}

export const readOrNull = (path: string): Promise<string | null> => readFile(path, "utf8").catch(() => null);

export interface RealGit extends BranchFixture {
  /** Holds everything: the checkout, the state home, canaries. */
  readonly directory: string;
  readonly checkout: string;
  readonly home: string;
  readonly options: CloneOptions;
  git(...args: readonly string[]): Promise<string>;
  /** A directory with what was put away under that name. */
  restored(name: string): Promise<string>;
}

export interface RealGitOptions {
  readonly name?: string;
  readonly rootPrefix?: string;
  readonly init?: readonly string[];
  /** A repository to be a shallow clone of, with one commit of its history. */
  readonly from?: string;
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** The mission branch. */
  readonly branch?: string;
  readonly mission?: string;
  /** The variant; private clones if not given. */
  readonly create?: (options: CloneOptions) => Workspaces;
}

export async function makeRealGit(options: RealGitOptions = {}): Promise<RealGit> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "workspaces-")));
  const checkout = join(directory, options.name ?? "project");
  const home = join(directory, "state", options.name ?? "home");
  const rootPrefix = options.rootPrefix ?? "";
  await mkdir(checkout);
  if (options.from !== undefined)
    await plainGit(directory, "clone", "-q", "--depth=1", `file://${options.from}`, options.name ?? "project");
  const git = (...args: readonly string[]): Promise<string> => plainGit(checkout, ...args);
  await git("init", "-q", "--initial-branch=main", ...(options.init ?? []));
  await appendFile(join(checkout, ".git/config"), "[user]\n\tname = A User\n\temail = user@example.org\n");
  await put(join(checkout, rootPrefix), "readme.md", "hello\n");
  await put(checkout, ".gitignore", "ignored.txt\nbuild/\n");
  for (const [file, content] of Object.entries(options.files ?? {})) await put(checkout, file, content);
  await git("add", "-A");
  await git("commit", "-q", "--allow-empty", "-m", "start");
  const { branch = "harness/mission-x" } = options;
  const begun = await git("rev-parse", "HEAD");
  const { mission } = options;
  const cloneOptions = { repository: checkout, home, branch, rootPrefix, ...(mission !== undefined && { mission }) };
  const create = options.create ?? createCloneWorkspaces;
  const inHead = (file: string): string => `${branch}:${rootPrefix === "" ? file : `${rootPrefix}/${file}`}`;
  const writtenOut = new Map<string, Promise<string>>();
  const restored = (name: string): Promise<string> => {
    const of = listPutAway(home).find((one) => one.name === name);
    if (of === undefined) throw new Error(`nothing was put away as ${name}`);
    const target = join(directory, "restored", name);
    const known = writtenOut.get(name) ?? restore(home, of, target).then(() => target);
    writtenOut.set(name, known);
    return known;
  };
  return {
    directory,
    checkout,
    home,
    options: cloneOptions,
    git,
    workspaces: create(cloneOptions),
    secondProcess: () => create(cloneOptions),
    write: put,
    remove: (path, file) => rm(join(path, file)),
    // What was put away is the whole checkout; every other answer is the state root in one.
    read: async (path, file) =>
      readOrNull(path.startsWith("/") ? join(path, file) : join(await restored(path), rootPrefix, file)),
    restored,
    async commitInside(path, message) {
      await plainGit(path, "add", "-A");
      await plainGit(path, "commit", "-q", "-m", message);
    },
    readAtHead: (file) =>
      git("cat-file", "-p", inHead(file)).then(
        (text) => `${text}\n`,
        () => null,
      ),
    log: async () => (await git("log", "--reverse", "--format=%s", `${begun}..${branch}`)).split("\n").filter(Boolean),
    archives: async () => listPutAway(home).length,
    async userCommits(file, text) {
      await put(join(checkout, rootPrefix), file, text);
      await git("add", "-A", "-f", "--", join(rootPrefix, file));
      await git("commit", "-q", "-m", `user: ${file}`);
      return git("rev-parse", "HEAD");
    },
    userReads: (file) => readOrNull(join(checkout, rootPrefix, file)),
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}

export interface Opening {
  readonly path: string;
  readonly base: string;
  readonly end: ArchiveRequest;
}

/** Opens slot 0 unless told otherwise; fails when the task is merged already. */
export async function openSlot(
  workspaces: Workspaces,
  task: string,
  { slot = 0, attempt = 1, fence = 1 } = {},
): Promise<Opening> {
  const opened = value(await workspaces.open({ slot, task, attempt, fence }));
  if (opened.merged) throw new Error(`merged already as ${opened.commit}`);
  const { path, base } = opened;
  return { path, base, end: { path, task, attempt, fence } };
}

export const commitOf = ({ path, base, end }: Opening) => ({
  path,
  base,
  message: `${end.task}: work\n\nHarness-Task: ${end.task}\nHarness-Attempt: ${end.attempt}\nHarness-Fence: ${end.fence}\n`,
});

export async function commitAndMerge(
  workspaces: Workspaces,
  opening: Opening,
): Promise<{ candidate: Candidate; merged: Merged }> {
  const candidate = value(await workspaces.commit(commitOf(opening)));
  const { task, attempt } = opening.end;
  return { candidate, merged: value(await workspaces.merge({ candidate, task, attempt })) };
}
