// Commands in a mount namespace of their own: what is mounted there is nobody else's, and ends with its last process
// when the test is killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const ready = "mounted\n";

export class Namespace {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** A copy of the parent's mounts (of ours, if none is given), in which `script` has run with `args` as $1, $2, … */
  static async open(script: string, args: readonly string[], parent?: Namespace): Promise<Namespace> {
    // It ends with its standard input: with us, however we end.
    const held = ["unshare", "--mount", "sh", "-ec", `${script}\necho mounted\nexec cat`, "sh", ...args];
    const [file = "", ...words] = [...(parent?.entry() ?? []), ...held];
    const holder = spawn(file, words, { stdio: ["pipe", "pipe", "pipe"] });
    const said = collect(holder);
    await new Promise<void>((resolve, reject) => {
      holder.stdout.on("data", () => said.stdout.endsWith(ready) && resolve());
      holder.once("error", reject);
      holder.once("close", (code) => reject(new Error(`mounting failed (${code}): ${said.stderr}`)));
    });
    return new Namespace(holder);
  }

  /** Words to put before a command so that it runs in here, with the same pid as what is spawned. */
  entry(cwd = "/"): readonly string[] {
    return ["nsenter", "--mount", `--target=${this.#holder.pid}`, "--", "env", "-C", cwd];
  }

  start(argv: readonly string[], { cwd, env = {} }: Place = {}) {
    const [file = "", ...words] = [...this.entry(cwd), ...argv];
    const child = spawn(file, words, { env, stdio: ["ignore", "pipe", "pipe"] });
    const said = collect(child);
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, ...said }));
    });
    return { child, ended };
  }

  /** Anything but success is a failure of the test. */
  async must(argv: readonly string[], place: Place = {}): Promise<string> {
    const { code, stdout, stderr } = await this.start(argv, place).ended;
    if (code !== 0) throw new Error(`${argv.join(" ")} → ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async close(): Promise<void> {
    if (this.#holder.exitCode !== null) return;
    const closed = once(this.#holder, "close");
    this.#holder.stdin?.end();
    await closed;
  }
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (piece: string) => {
      said[name] += piece;
    });
  }
  return said;
}
