// Real processes that take one lock: taker.ts, bundled because the oldest Node cannot run TypeScript.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Outcome } from "../../src/protocol/failure.ts";
import { lockPath } from "../../src/runtime/lock/names.ts";

export type Answer = Outcome<{ readonly removedStale: number | null }>;

export interface Taker {
  readonly pid: number;
  take(): Promise<Answer>;
  release(): Promise<null>;
  /** Lets it come to its end. */
  leave(): Promise<number | string | null>;
  kill(): Promise<void>;
}

/** One state root with its journal, and a folder that stands for /tmp. */
export class LockPlace {
  readonly folder = mkdtempSync(join(tmpdir(), "harness-takers-"));
  readonly base = join(this.folder, "base");
  readonly journal = join(this.folder, "state", "journal.db");
  readonly root: string;
  readonly path: string;
  readonly program = join(this.folder, "taker.mjs");
  readonly #running = new Set<ChildProcessWithoutNullStreams>();

  constructor(root = "/a/project") {
    this.root = root;
    this.path = lockPath(root, this.base);
    mkdirSync(this.base);
    mkdirSync(join(this.folder, "state"));
    // As /tmp is.
    chmodSync(this.base, 0o1777);
  }

  async prepare(): Promise<void> {
    const libsql = createRequire(import.meta.url).resolve("libsql");
    await build({
      entryPoints: [fileURLToPath(new URL("./taker.ts", import.meta.url))],
      outfile: this.program,
      bundle: true,
      platform: "node",
      format: "esm",
      alias: { libsql },
      external: [libsql],
    });
  }

  /** Forgets every lock; the journal stays. */
  clear(): void {
    for (const entry of readdirSync(this.base)) rmSync(join(this.base, entry), { recursive: true });
  }

  args({ root = this.root, journal = this.journal } = {}): readonly string[] {
    return [process.execPath, this.program, journal, root, this.base];
  }

  async start(command: readonly string[] = this.args(), options: { uid?: number; gid?: number } = {}): Promise<Taker> {
    const [file = "", ...args] = command;
    const child = spawn(file, args, { stdio: "pipe", env: { ...process.env, UV_USE_IO_URING: "0" }, ...options });
    this.#running.add(child);
    const ended = new Promise<number | string | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        this.#running.delete(child);
        resolve(code ?? signal);
      });
    });
    const stderr = text(child.stderr);
    // A process that is killed while it is told something is no error of ours.
    child.stdin.on("error", () => undefined);
    const lines = createInterface({ input: child.stdout });
    const ask = async (line: string) => {
      child.stdin.write(`${line}\n`);
      const answer = await next(lines);
      if (answer === null) throw new Error(`it ended without an answer to ${line}: ${await ended} ${await stderr}`);
      return JSON.parse(answer);
    };
    const hello = await next(lines);
    if (hello === null) throw new Error(`it did not start: ${await ended} ${await stderr}`);
    return {
      pid: JSON.parse(hello).pid,
      take: () => ask("take"),
      release: () => ask("release"),
      leave: () => {
        child.stdin.end();
        return ended;
      },
      kill: async () => {
        child.kill("SIGKILL");
        await ended;
      },
    };
  }

  /** Whom the lock names: nobody if there is none, null if it is not whole. */
  named(): number | "nobody" | null {
    if (!existsSync(this.path)) return "nobody";
    try {
      const { pid, nonce } = JSON.parse(readFileSync(join(this.path, "owner.json"), "utf8"));
      return readFileSync(join(this.path, "pid"), "utf8") === `${pid}\n` && nonce !== "" ? pid : null;
    } catch {
      // A file is missing or cut short.
      return null;
    }
  }
  /** Whether it is as a script leaves it: the pid, and nothing else. */
  isScripts(pid: number): boolean {
    const files = existsSync(this.path) ? readdirSync(this.path) : [];
    return files.join() === "pid" && readFileSync(join(this.path, "pid"), "utf8") === `${pid}\n`;
  }
  /** Entries of the folder; `*` stands for the lock's own name. */
  entries(): readonly string[] {
    const name = basename(this.path);
    return readdirSync(this.base).map((entry) => entry.replace(name, "*"));
  }

  /** What a script leaves that was killed while it held the lock. */
  leavePid(pid: number | string): void {
    mkdirSync(this.path);
    writeFileSync(join(this.path, "pid"), `${pid}\n`);
  }
  /** What a run leaves that was killed before the last reboot. */
  leaveOwner(pid: number): void {
    this.leavePid(pid);
    const owner = { host: hostname(), bootId: "an earlier one", pid, group: pid, startTime: "1", nonce: "n" };
    writeFileSync(join(this.path, "owner.json"), JSON.stringify(owner));
  }

  remove(): void {
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The next line, or null when there is none any more. */
function next(lines: Interface): Promise<string | null> {
  return new Promise((resolve) => {
    const onClose = () => resolve(null);
    lines.once("close", onClose);
    lines.once("line", (line) => {
      lines.off("close", onClose);
      resolve(line);
    });
  });
}
