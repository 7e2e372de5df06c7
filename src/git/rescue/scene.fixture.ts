// For tests: places in every state git can be left in, made once with real git, and a look at directories that shares
// no code with the rescue.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeCheckout } from "../checkout.ts";
import { copyIndex } from "../files.ts";
import { openSite, type Site } from "../site.ts";
import type { RescueRequest } from "./place.ts";

const env = {
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", PATH: process.env.PATH, LC_ALL: "C" },
  ...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" },
  GIT_EDITOR: "true",
};

/** git as anybody runs it. */
export function plainGit(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", [...args], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 26,
  });
}
const mayFail = (cwd: string, ...args: readonly string[]): void => {
  try {
    plainGit(cwd, ...args);
  } catch {
    // A conflict is what was wanted.
  }
};

export const put = (directory: string, file: string, content: string | Buffer = `${file}\n`): void => {
  mkdirSync(dirname(join(directory, file)), { recursive: true });
  writeFileSync(join(directory, file), content);
};

const commitAll = (work: string, message: string): void => {
  plainGit(work, "add", "-A");
  plainGit(work, "commit", "-q", "--allow-empty", "-m", message);
};

function diverge(work: string): void {
  put(work, "one.txt", "mine\n");
  commitAll(work, "mine");
  plainGit(work, "switch", "-q", "-c", "other", "HEAD~1");
  put(work, "one.txt", "theirs\n");
  commitAll(work, "theirs");
}

export const gitStates: Readonly<Record<string, (work: string) => void>> = {
  untouched: () => undefined,
  "staged only": (work) => {
    put(work, "staged.txt", "in the index\n");
    plainGit(work, "add", "staged.txt");
    put(work, "staged.txt", "in the file\r\n");
    put(work, "gone.txt", "only in the index\n");
    plainGit(work, "add", "gone.txt");
    rmSync(join(work, "gone.txt"));
  },
  "open merge": (work) => {
    diverge(work);
    mayFail(work, "merge", "harness/task");
  },
  "open rebase": (work) => {
    diverge(work);
    mayFail(work, "rebase", "harness/task");
  },
  "open cherry-pick": (work) => {
    diverge(work);
    mayFail(work, "cherry-pick", "harness/task");
  },
  stashes: (work) => {
    put(work, "one.txt", "stashed\n");
    put(work, "untracked.txt", "stashed too\n");
    plainGit(work, "stash", "-q", "--include-untracked");
    put(work, "two.txt", "stashed again\n");
    plainGit(work, "stash", "-q");
  },
  "detached commits": (work) => {
    plainGit(work, "checkout", "-q", "--detach");
    put(work, "detached.txt");
    commitAll(work, "detached");
    plainGit(work, "checkout", "-q", "HEAD~1");
    put(work, "unreachable.txt");
    commitAll(work, "only in the log of HEAD");
    plainGit(work, "checkout", "-q", "HEAD~2");
  },
  "an orphan, a tag and packs": (work) => {
    put(work, "kept.txt");
    commitAll(work, "kept");
    plainGit(work, "tag", "-a", "-m", "about it", "v1");
    plainGit(work, "switch", "-q", "--orphan", "alone");
    put(work, "alone.txt");
    commitAll(work, "alone");
    plainGit(work, "tag", "-a", "-m", "about the base", "v0", "harness/task~1");
    plainGit(work, "gc", "-q", "--prune=now");
    plainGit(work, "hash-object", "-w", "alone.txt");
    put(work, "loose.txt", "nothing names this\n");
    plainGit(work, "hash-object", "-w", "loose.txt");
    rmSync(join(work, "loose.txt"));
  },
  "forced and locked": (work) => {
    put(work, "build/forced.txt");
    plainGit(work, "add", "-f", "build/forced.txt");
    put(work, ".git/index.lock", "");
    put(work, ".git/hooks/post-checkout", "#!/bin/sh\n");
    plainGit(work, "config", "core.fsmonitor", "false");
  },
  "a broken git directory": (work) => {
    put(work, ".git/index", "not an index");
    put(work, ".git/HEAD", "\0\0\0");
  },
  "no git directory": (work) => rmSync(join(work, ".git"), { recursive: true }),
};

export interface Scene {
  readonly site: Site;
  readonly directory: string;
  /** A place in that state, to be rescued as the attempt of a task of its own. */
  place(state: string, task: string): RescueRequest;
  dispose(): void;
}

/** In memory where the machine offers that: hundreds of rescues sync thousands of files. */
export async function makeScene(format = "sha1"): Promise<Scene> {
  const directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "rescue-"));
  const checkout = join(directory, "project");
  mkdirSync(checkout);
  plainGit(checkout, "init", "-q", "--initial-branch=main", `--object-format=${format}`);
  for (const version of ["first", "base"]) {
    for (const file of ["one.txt", "two.txt", "src/deep/three.txt"]) put(checkout, file, `${version} ${file}\n`);
    put(checkout, ".gitignore", "build/\n*.log\n");
    put(checkout, "tool.sh", "#!/bin/sh\n");
    chmodSync(join(checkout, "tool.sh"), 0o755);
    commitAll(checkout, version);
  }
  const base = plainGit(checkout, "rev-parse", "HEAD").trim();
  const home = join(directory, "home");
  const site = await openSite({ repository: checkout, home, branch: "harness/mission-x", rootPrefix: "" });
  const templates = join(directory, "templates");
  const fresh = join(templates, "untouched");
  await makeCheckout(site, { directory: fresh, commit: base, branch: "harness/task" });
  const index = join(directory, "base.index");
  await copyIndex(join(fresh, ".git", "index"), index);
  appendFileSync(join(fresh, ".git", "config"), "[core]\n\tlogAllRefUpdates = true\n");
  for (const [state, make] of Object.entries(gitStates)) {
    const work = join(templates, state);
    if (work !== fresh) cpSync(fresh, work, { recursive: true, verbatimSymlinks: true });
    make(work);
  }
  return {
    site,
    directory,
    place(state, task) {
      const work = join(directory, "places", task);
      cpSync(join(templates, state), work, { recursive: true, verbatimSymlinks: true });
      const at = { work, theirIndex: join(work, ".git", "index"), index, settledIndex: `${index}.settled` };
      const place = { at, gitDir: join(work, ".git"), shared: false, indexIsOfBase: true, exempt: [] };
      return { ...place, base, task, attempt: 1, why: "a test" };
    },
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** All that a directory holds, each entry as one line. Objects are compared as objects; our own files are left out. */
export function lookAt(directory: string): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  const visit = (below: Buffer): void => {
    for (const name of readdirSync(Buffer.concat([Buffer.from(`${directory}/`), below]), { encoding: "buffer" })) {
      const path = below.length === 0 ? name : Buffer.concat([below, Buffer.from("/"), name]);
      const shown = path.toString("latin1");
      if (/^\.git\/(objects|config|hooks|shallow)(\.rescued)?(\/|$)/.test(shown)) continue;
      const full = Buffer.concat([Buffer.from(`${directory}/`), path]);
      const stats = lstatSync(full);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isDirectory()) {
        seen.set(shown, `directory ${mode}`);
        visit(path);
      } else if (stats.isSymbolicLink()) seen.set(shown, `link ${readlinkSync(full, "buffer").toString("latin1")}`);
      else if (stats.isFile())
        seen.set(shown, `file ${mode} ${stats.size} ${createHash("sha256").update(readFileSync(full)).digest("hex")}`);
      else seen.set(shown, "special");
    }
  };
  visit(Buffer.alloc(0));
  return seen;
}

/** Ids of all objects in a place's own store. */
export function objectsIn(work: string): readonly string[] {
  const store = join(work, ".git", "objects");
  if (!existsSync(store)) return [];
  const loose = readdirSync(store).flatMap((folder) =>
    /^[0-9a-f]{2}$/.test(folder) ? readdirSync(join(store, folder)).map((name) => `${folder}${name}`) : [],
  );
  const packs = existsSync(join(store, "pack"))
    ? readdirSync(join(store, "pack")).filter((name) => name.endsWith(".idx"))
    : [];
  const packed = packs.flatMap((name) =>
    execFileSync("git", ["show-index"], {
      input: readFileSync(join(store, "pack", name)),
      encoding: "utf8",
      env,
      cwd: store,
    })
      .split("\n")
      .flatMap((line) => line.split(" ")[1] ?? []),
  );
  return [...loose, ...packed];
}
