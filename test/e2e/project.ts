// A real git project in a folder of its own, used through the built program.
import { type ChildProcess, execFileSync, type StdioOptions, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export const cli = join(import.meta.dirname, "../../dist/cli.js");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
}

export class TestProject {
  /** Everything of this test is in here, the state home included. */
  readonly place = mkdtempSync(join(tmpdir(), "harness-e2e-"));
  readonly root = join(this.place, "project");
  readonly env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: join(this.place, "home"),
    HARNESS_STATE_HOME: join(this.place, "state"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };

  readonly lock = lockOf(join(realpathSync(this.place), "project"));
  readonly #running = new Set<Running>();
  #command: readonly [string, ...string[]] = [process.execPath, cli];

  constructor() {
    mkdirSync(this.root);
    mkdirSync(join(this.place, "home"));
    // The tests mean the same with and without a sandbox on the machine; those about it say so.
    this.configureUser({});
  }

  /** The user's own configuration, without a sandbox unless it says otherwise. Answers the file. */
  configureUser(config: Readonly<Record<string, unknown>>): string {
    const file = join(this.place, "home/.config/harness/config.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ sandbox: "off", ...config }));
    return file;
  }

  /** Variables that programs started by the product are to find: named in the user's configuration, as anyone has to. */
  pass(variables: Readonly<Record<string, string>>): void {
    Object.assign(this.env, variables);
    const file = join(this.place, "home/.config/harness/config.json");
    const config = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    const names = [...(config.env?.pass ?? []), ...Object.keys(variables)];
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ ...config, env: { ...config.env, pass: names } }));
  }

  /** Starts the program; `cwd` is relative to the project. */
  start(args: readonly string[], cwd = "."): Running {
    const [program, ...first] = this.#command;
    const child = spawn(program, [...first, ...args], {
      cwd: join(this.root, cwd),
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const text = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text.stdout += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      text.stderr += piece;
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal, ...text }));
    });
    const running = { process: child, pid: child.pid ?? 0, ended };
    this.#running.add(running);
    void ended.finally(() => this.#running.delete(running)).catch(() => undefined);
    return running;
  }

  /** From here on modes count for the program as for any user, also where root runs the tests. */
  dropRootsRights(): void {
    if (process.getuid?.() !== 0) return;
    this.#command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", process.execPath, cli];
  }

  /** Also after a test that failed half-way: nothing it started may outlive it. */
  async remove(): Promise<void> {
    for (const { process: child, ended } of this.#running) {
      child.kill("SIGTERM");
      await ended;
    }
    // What a killed run leaves for the next one; the program knows no other place for it (L1).
    rmSync(this.lock, { recursive: true, force: true });
    rmSync(this.place, { recursive: true, force: true });
  }

  harness(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  /** For steps that only prepare: anything but success is a failure of the test. */
  async must(...args: readonly string[]): Promise<Ended> {
    const end = await this.harness(...args);
    if (end.code !== 0)
      throw new Error(`harness ${args.join(" ")} → ${end.code ?? end.signal}\n${end.stdout}${end.stderr}`);
    return end;
  }

  git(...args: readonly string[]): string {
    return this.sh("git", ...args);
  }

  sh(file: string, ...args: readonly string[]): string {
    const stdio: StdioOptions = ["ignore", "pipe", "pipe"];
    return execFileSync(file, args, { cwd: this.root, env: this.env, encoding: "utf8", stdio }).trimEnd();
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [file, text] of Object.entries(files)) {
      const path = join(this.root, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }

  commit(files: Readonly<Record<string, string>>): void {
    this.write(files);
    this.git("add", ".");
    this.git("commit", "--quiet", "--message", "base");
  }

  /** All that a run must leave alone, as one text to compare. */
  checkout(): string {
    const index = createHash("sha256")
      .update(readFileSync(join(this.root, ".git/index")))
      .digest("hex");
    const head = readFileSync(join(this.root, ".git/HEAD"), "utf8").trim();
    return [
      head,
      this.git("rev-parse", "HEAD"),
      index,
      this.git("status", "--porcelain"),
      this.git("stash", "list"),
    ].join("\n");
  }

  /** Subject and task of each commit that the mission made, oldest first. */
  missionCommits(branch: string): readonly string[] {
    const format = "--format=%s | %(trailers:key=Harness-Task,valueonly,separator=%x20)";
    return this.git("log", "--reverse", format, `HEAD..${branch}`).split("\n");
  }

  async branch(): Promise<string> {
    const { stdout } = await this.must("status", "--json");
    return JSON.parse(stdout).mission.branch;
  }

  /** Processes that were started in, or with a path of, this test's folder. */
  processes(): readonly string[] {
    return processesOf(this.place);
  }
}

/** A PATH with the programs that are needed, and no bwrap. */
export function withoutBwrap({ place }: TestProject): string {
  const folder = join(place, "few-programs");
  mkdirSync(folder, { recursive: true });
  for (const name of [
    "git",
    "sh",
    "mkfifo",
    "touch",
    "cat",
    "ls",
    "sed",
    "grep",
    "env",
    "sleep",
    "kill",
    "stat",
    "mkdir",
    "test",
  ]) {
    const found = ["/usr/bin", "/bin", "/usr/local/bin"].map((bin) => join(bin, name)).find((file) => existsSync(file));
    if (found !== undefined && !existsSync(join(folder, name))) symlinkSync(found, join(folder, name));
  }
  return folder;
}

/** Resolves once the process has printed this, from now on. */
export function printed({ process: child, ended }: Running, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stdout?.on("data", (piece: string) => {
      seen += piece;
      if (seen.includes(text)) resolve();
    });
    ended.then(() => reject(new Error(`it ended without "${text}"`)), reject);
  });
}

/** A repository with one commit; removed after the test. */
export function createTestProject(
  files: Readonly<Record<string, string>> = { "README.md": "# Project\n" },
): TestProject {
  const project = createEmptyFolder();
  project.git("init", "--quiet", "--initial-branch=main");
  project.git("config", "user.name", "Test");
  project.git("config", "user.email", "test@example.invalid");
  if (Object.keys(files).length > 0) project.commit(files);
  return project;
}

/** A project with a plan; each task as it is given to `harness add`. */
export async function createMission(...tasks: readonly (readonly string[])[]): Promise<TestProject> {
  const project = createTestProject();
  await project.must("init", "--yes");
  for (const task of tasks) await project.must("add", ...task);
  return project;
}

export function createEmptyFolder(): TestProject {
  const project = new TestProject();
  onTestFinished(() => project.remove());
  return project;
}

/** As the seed's script computes it. */
function lockOf(root: string): string {
  return `/tmp/harness-${createHash("sha256").update(root).digest("hex").slice(0, 16)}.lock`;
}

function processesOf(place: string): readonly string[] {
  const table = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8", maxBuffer: 1 << 26 })
    .trim()
    .split("\n");
  return table.filter((line) => {
    const pid = line.trim().split(" ")[0] ?? "";
    return Number(pid) !== process.pid && (line.includes(place) || workingDirectory(pid).startsWith(place));
  });
}

function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It ended since it was listed, or this system has no /proc.
    return "";
  }
}
