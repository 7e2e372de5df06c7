// The one place that runs git. Never a shell, never discovery of a repository an agent could have prepared, no hook,
// filter, pager or helper of anybody's: what configuration could start is switched off on every call.
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { disarming, mayNamePrograms, namedPrograms } from "./disarm.ts";
import { refuse } from "./refusal.ts";

export interface Identity {
  readonly name: string;
  readonly email: string;
}

export interface GitPlace {
  readonly gitDir: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly objectsDir?: string;
}
export interface GitCall extends GitPlace {
  readonly input?: string | Buffer;
  /** A file to read stdin from, where it may be large. */
  readonly inputFile?: string;
  readonly identity?: Identity;
  /** Of commits made, in git's own form; else now. */
  readonly date?: string;
  /** Objects and references are on the disk before git answers. */
  readonly durable?: boolean;
}
export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** In place of an exit code: git could not be started, was killed, or was stopped by us. */
const unended = -1;
const maxOutputBytes = 64 * 1024 * 1024;
const maxErrorBytes = 16 * 1024;
/** Long enough for a large checkout; a FIFO named .gitignore would otherwise hold us for ever. */
const deadlineMs = 600_000;

const neutral = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.autocrlf=false",
  "core.safecrlf=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.logAllRefUpdates=false",
  "core.pager=cat",
  "core.editor=false",
  "sequence.editor=false",
  "core.askPass=false",
  "core.sshCommand=false",
  "core.gitProxy=",
  "core.alternateRefsCommand=",
  "credential.helper=",
  "diff.external=",
  "gc.auto=0",
  // We write references by hand in the format every git reads.
  "init.defaultRefFormat=files",
  "maintenance.auto=false",
  "gpg.program=false",
  "commit.gpgSign=false",
  "log.showSignature=false",
  "merge.renormalize=false",
  "protocol.allow=never",
  "submodule.recurse=false",
  "checkout.workers=2",
  // The user's own git packs references while we work; its locks may last longer than git waits by itself.
  "core.filesRefLockTimeout=1000",
  "core.packedRefsTimeout=3000",
].flatMap((setting) => ["-c", setting]);

// git's default leaves loose objects and references to the page cache; its batch mode is not promised safe on Linux.
const durably = ["-c", "core.fsync=committed,loose-object,pack-metadata,reference", "-c", "core.fsyncMethod=fsync"];

/** Verbs that may show a difference through a program: no name of such a program is ever looked at. */
const comparing = new Set("diff diff-files diff-index diff-tree format-patch log show".split(" "));
const plainly = ([verb = "", ...rest]: readonly string[]): string[] =>
  comparing.has(verb) ? [verb, "--no-ext-diff", "--no-textconv", ...rest] : [verb, ...rest];

/** A relative entry would find programs in the work tree we run in. */
const absolutePath = (path: string): string => path.split(delimiter).filter(isAbsolute).join(delimiter);

/** Looked up once for each search path: else every start would try the places before it in vain. */
let found = { path: "", git: "git" };
function gitProgram(path: string): string {
  if (found.path !== path) found = { path, git: path.split(delimiter).map(gitAt).find(isProgram) ?? "git" };
  return found.git;
}
const gitAt = (directory: string): string => join(directory, "git");
const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const environment = (call: Partial<GitCall>): NodeJS.ProcessEnv => ({
  PATH: absolutePath(process.env.PATH ?? ""),
  HOME: process.env.HOME,
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  // A missing object must be an error, not a fetch through a command some configuration names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  ...(call.indexFile !== undefined && { GIT_INDEX_FILE: call.indexFile }),
  ...(call.objectsDir !== undefined && { GIT_OBJECT_DIRECTORY: call.objectsDir }),
  ...(call.identity !== undefined && {
    GIT_AUTHOR_NAME: call.identity.name,
    GIT_AUTHOR_EMAIL: call.identity.email,
    GIT_COMMITTER_NAME: call.identity.name,
    GIT_COMMITTER_EMAIL: call.identity.email,
  }),
  ...(call.date !== undefined && { GIT_AUTHOR_DATE: call.date, GIT_COMMITTER_DATE: call.date }),
});

/** Runs git on a repository named by its git directory. The exit code is git's own: a git that was killed is refused. */
export async function git(call: GitCall, args: readonly string[]): Promise<GitResult> {
  const result = await attemptGit(call, args);
  return result.code === unended ? refuseGit(args, result) : result;
}

/** As `git`, for those who can find out what a git that was killed has done. */
export async function attemptGit(call: GitCall, args: readonly string[]): Promise<GitResult> {
  const place = [
    `--git-dir=${call.gitDir}`,
    ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
    ...neutral,
    ...(call.durable === true ? durably : []),
  ];
  const cwd = call.workTree ?? call.gitDir;
  const env = { ...environment(call), ...(await disarmed(call.gitDir, environment({}))) };
  const file = call.inputFile === undefined ? null : await open(call.inputFile, "r");
  try {
    return await runGit([...place, ...plainly(args)], { cwd, env, stdin: file?.fd ?? "pipe" }, call.input);
  } finally {
    await file?.close();
  }
}

async function disarmed(gitDir: string, env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  if (!(await mayNamePrograms(gitDir))) return {};
  const args = [`--git-dir=${gitDir}`, ...neutral, ...listing];
  return disarming(listed(await runGit(args, { cwd: gitDir, env, stdin: "pipe" }, "")));
}
/** git answers 1 where nothing is configured; anything else is no answer, and nothing may start without one. */
const listed = (result: GitResult): Buffer =>
  result.code > 1 || result.code < 0 ? refuseGit(listing, result) : result.stdout;
const listing = ["config", "-z", "--name-only", "--get-regexp", namedPrograms];

/** The only discovery: which repository the user's own directory is in. Ownership is no matter, for nothing runs. */
export function gitIn(directory: string, args: readonly string[]): Promise<GitResult> {
  return discover(directory, args, environment({}));
}

/** As `gitIn`, for calls that compare files: the programs the repository's configuration names are switched off. */
export async function gitInWithoutFilters(directory: string, args: readonly string[]): Promise<GitResult> {
  const off = disarming(listed(await gitIn(directory, listing)));
  return discover(directory, args, { ...environment({}), ...off });
}

/**
 * Values from every configuration file the user has, his own and the machine's included, each with its scope. The only
 * call that reads them: `git config` starts nothing, whatever they say.
 */
export function readUserConfig(gitDir: string, args: readonly string[]): Promise<GitResult> {
  const { GIT_CONFIG_GLOBAL: _, GIT_CONFIG_NOSYSTEM: __, ...rest } = environment({});
  const theirs = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"];
  const told = theirs.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const env: NodeJS.ProcessEnv = { ...rest, ...Object.fromEntries(told) };
  const call = [`--git-dir=${gitDir}`, ...neutral, "config", "-z", "--show-scope", ...args];
  return runGit(call, { cwd: gitDir, env, stdin: "pipe" }, "");
}

/**
 * Questions about the user's own settings, theirs and the system's included: what their git would do to files. Only for
 * calls that print settings or attributes; neither starts anything.
 */
export function askSettings(place: GitPlace, args: readonly string[], input: Buffer | string = ""): Promise<GitResult> {
  const {
    GIT_CONFIG_GLOBAL: _global,
    GIT_CONFIG_NOSYSTEM: _system,
    GIT_ATTR_NOSYSTEM: _attributes,
    ...own
  } = environment(place);
  const kept = [
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_ATTR_NOSYSTEM",
  ];
  const theirs = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const env = { ...own, ...theirs };
  return runGit([`--git-dir=${place.gitDir}`, ...quiet, ...args], { cwd: place.gitDir, env, stdin: "pipe" }, input);
}

/**
 * The one call that is not ours: the user asked for it and saw it, and it is the git they have, with their configuration,
 * credentials and hooks, in their terminal. Answers its exit code.
 */
export function runUsersGit(directory: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn("git", args, { cwd: directory, stdio: "inherit" });
    child.on("error", () => resolve(unended));
    child.on("close", (code) => resolve(code ?? unended));
  });
}

async function discover(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<GitResult> {
  const result = await runGit(
    [...neutral, "-c", "safe.directory=*", ...plainly(args)],
    { cwd, env, stdin: "pipe" },
    "",
  );
  return result.code === unended ? refuseGit(args, result) : result;
}

interface Spawned {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: "pipe" | number;
}

function runGit(args: readonly string[], spawned: Spawned, input: GitCall["input"]): Promise<GitResult> {
  return new Promise((resolve) => {
    const program = gitProgram(spawned.env.PATH ?? "");
    const child = spawn(program, args, { cwd: spawned.cwd, env: spawned.env, stdio: [spawned.stdin, "pipe", "pipe"] });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    let [outBytes, errBytes, stopped] = [0, 0, ""];
    const stop = (why: string): void => {
      stopped ||= why;
      child.kill("SIGKILL");
    };
    const deadline = setTimeout(() => stop(`did not end within ${deadlineMs / 1000} s`), deadlineMs);
    child.stdout?.on("data", (chunk: Buffer) => {
      outBytes += chunk.length;
      if (outBytes > maxOutputBytes) stop(`printed more than ${maxOutputBytes} bytes`);
      else out.push(chunk);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (errBytes < maxErrorBytes) err.push(chunk.subarray(0, maxErrorBytes - errBytes));
      errBytes += chunk.length;
    });
    child.on("error", (error) => {
      clearTimeout(deadline);
      found = { path: "", git: "git" };
      resolve({ code: unended, stdout: Buffer.alloc(0), stderr: error.message });
    });
    child.on("close", (code, signal) => {
      clearTimeout(deadline);
      const ended = stopped !== "" ? stopped : signal === null ? "" : `was ended by ${signal}`;
      const stderr = ended !== "" ? ended : Buffer.concat(err).toString("utf8");
      resolve({ code: ended !== "" ? unended : (code ?? unended), stdout: Buffer.concat(out), stderr });
    });
    // A git that ended before it read its input says so by its exit code; the broken pipe adds nothing.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input ?? "");
  });
}

/** Output of a call that must succeed, without its last newline. */
export async function gitText(call: GitCall, args: readonly string[]): Promise<string> {
  return (await gitBytes(call, args)).toString("utf8").replace(/\n$/, "");
}

/** Paths of a `-z` listing, one character per byte: names need not be UTF-8, and must come back to git unchanged. */
export async function gitPaths(call: GitCall, args: readonly string[]): Promise<string[]> {
  return (await gitBytes(call, args)).toString("latin1").split("\0").slice(0, -1);
}
export const pathList = (paths: readonly string[]): Buffer =>
  Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
export const shownPath = (path: string): string => Buffer.from(path, "latin1").toString("utf8");

export async function gitBytes(call: GitCall, args: readonly string[]): Promise<Buffer> {
  const result = await git(call, args);
  if (result.code !== 0) refuseGit(args, result);
  return result.stdout;
}

export function refuseGit(args: readonly string[], result: GitResult): never {
  const lines = result.stderr.split("\n").filter((line) => line.trim() !== "");
  const said = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines[0] ?? "no message";
  const left = /Unable to create '(.+\.lock)': File exists/.exec(result.stderr)?.[1];
  const exit = result.code === unended ? "" : ` (exit ${result.code})`;
  return refuse({
    kind: "env_setup",
    message: `git ${args[0] ?? ""} failed${exit}: ${said.slice(0, 500)}`,
    // 129 is how git says that it does not know an option.
    ...((said.includes("ENOENT") || result.code === 129) && {
      remedy: "Install git 2.38 or newer and see that it is on the PATH.",
    }),
    ...(left !== undefined && { remedy: `See that no git is at work there, then remove ${left}.` }),
    ...(lines.length > 1 && { evidence: result.stderr.slice(0, 4_000) }),
  });
}
