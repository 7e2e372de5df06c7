// A project in the state before an operation, put back there as often as needed, always at the same place.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { createProgram } from "../../src/surfaces/cli/program.ts";
import { perform, type Traceable, type Traced, type TraceOptions, trace } from "./strace.ts";

const cli = join(import.meta.dirname, "../../dist/cli.js");
/** Every step syncs: in memory that costs nothing, and a killed process leaves the same there as on a disk. */
export const scenes = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const steadyNames = join(import.meta.dirname, "steady-names.cjs");
/** Longer than the longest sweep. */
const leaseSeconds = 86_400;

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class Scene {
  readonly #base = mkdtempSync(join(scenes, "harness-faults-"));
  #keptAt = 0;
  /** Everything that counts is in here: project, state home, the user's home. */
  readonly live = join(this.#base, "live");
  /** Not put back: for those who watch. */
  readonly beside = join(this.#base, "beside");
  readonly root = join(this.live, "project");
  readonly env: Readonly<Record<string, string>> = {
    PATH: process.env.PATH ?? "",
    HOME: join(this.live, "home"),
    HARNESS_STATE_HOME: join(this.live, "state"),
    TMPDIR: join(this.live, "tmp"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    HARNESS_WORKER_ID: "w",
    HARNESS_LEASE_SECONDS: String(leaseSeconds),
    // What goes through io_uring is not seen by strace; one thread makes the order of calls the same every time.
    UV_USE_IO_URING: "0",
    UV_THREADPOOL_SIZE: "1",
  };

  constructor() {
    mkdirSync(this.root, { recursive: true });
    for (const folder of ["home/.config/harness", "tmp"]) mkdirSync(join(this.live, folder), { recursive: true });
    // What is swept are our own calls: a trial of the machine's sandbox has its own tests.
    writeFileSync(join(this.live, "home/.config/harness/config.json"), '{"sandbox":"off"}');
    this.git("init", "--quiet", "--initial-branch=main", "--template=");
    this.git("config", "user.name", "Test");
    this.git("config", "user.email", "test@example.invalid");
    this.write("README.md", "# Project\n");
    this.git("add", ".");
    this.git("commit", "--quiet", "--message", "base");
  }

  git(...args: readonly string[]): string {
    const stdio = ["ignore", "pipe", "pipe"] as const;
    return execFileSync("git", args, { cwd: this.root, env: this.env, encoding: "utf8", stdio: [...stdio] }).trimEnd();
  }

  write(file: string, text: string): void {
    const path = join(this.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Whether whoever holds a lease that ends then had it before. */
  isOlder(leaseEnd: number): boolean {
    return leaseEnd <= this.#keptAt + leaseSeconds * 1_000;
  }

  /** From now on this is what `restore` brings back. */
  keep(): void {
    // Not before anything that is recorded by then.
    this.#keptAt = Math.ceil(Date.now() / 1_000) * 1_000;
    renameSync(this.live, this.#kept);
    this.restore();
  }

  restore(): void {
    rmSync(this.live, { recursive: true, force: true });
    execFileSync("cp", ["-a", this.#kept, this.live]);
  }

  remove(): void {
    if (existsSync(this.#base)) rmSync(this.#base, { recursive: true, force: true });
  }

  /** The built program in a process of its own, watched by strace. */
  traced(args: readonly string[], options: TraceOptions, env: Readonly<Record<string, string>> = {}): Promise<Traced> {
    return trace(this.#traceable(args, env), options);
  }

  /** The same, watched by nobody. */
  async performed(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Traced> {
    return { ...(await perform(this.#traceable(args, env))), calls: [], hits: 0 };
  }

  #traceable(args: readonly string[], more: Readonly<Record<string, string>> = {}): Traceable {
    const command = [process.execPath, "--require", steadyNames, cli, ...args] as const;
    const env = { ...this.env, ...more, HARNESS_STEADY_NOW: String(this.#keptAt) };
    return { command, cwd: this.root, env, folder: this.#base };
  }

  /** The same commands, unharmed and in this process: it never ran before as far as the project knows. */
  async harness(...args: readonly string[]): Promise<Said> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const stdin = new PassThrough();
    let code = 0;
    const streams = { stdin, stdout, stderr } as unknown as Pick<NodeJS.Process, "stdin" | "stdout" | "stderr">;
    const world = { cwd: this.root, env: this.env, ...streams };
    await createProgram(world, "0", (end) => {
      code = end;
    }).parseAsync(["node", "harness", ...args]);
    return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
  }

  /** For steps that only prepare: anything but success is a failure of the test. */
  async must(...args: readonly string[]): Promise<Said> {
    const said = await this.harness(...args);
    if (said.code !== 0) throw new Error(`harness ${args.join(" ")} → ${said.code}\n${said.stdout}${said.stderr}`);
    return said;
  }

  get #kept(): string {
    return join(this.#base, "kept");
  }
}
