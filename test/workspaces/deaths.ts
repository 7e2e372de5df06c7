// Kills a verb before each of its steps, each time from the same start.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const run = promisify(execFile);

export interface Verb {
  readonly variant: "worktree" | "in-place";
  readonly options: object;
  readonly verb: string;
  readonly request: object;
}

/** Points of a verb to die at: all of them with HARNESS_CHAOS=all, else so many, evenly spread. */
const most = process.env.HARNESS_CHAOS === "all" ? Number.POSITIVE_INFINITY : 12;

export class Deaths {
  readonly folder: string;
  readonly #program: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#program = join(folder, "actor.mjs");
  }

  static async prepare(): Promise<Deaths> {
    const deaths = new Deaths(await mkdtemp(join(tmpdir(), "deaths-")));
    const entry = fileURLToPath(new URL("./actor.ts", import.meta.url));
    await build({
      entryPoints: [entry],
      outfile: deaths.#program,
      bundle: true,
      platform: "node",
      format: "esm",
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
    return deaths;
  }

  dispose(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** Runs `look` after each death, with everything below `directory` as it was left then. Answers how often it died. */
  async each(directory: string, verb: Verb, look: (point: number) => Promise<void>): Promise<number> {
    const start = join(this.folder, "start");
    await rm(start, { recursive: true, force: true });
    await cp(directory, start, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    const steps = await this.#stepsOf(verb);
    const stride = Math.max(1, Math.ceil(steps / most));
    let died = 0;
    for (let point = 1; point <= steps; point += stride) {
      await this.#putBack(start, directory);
      const killed = await this.#act(verb, point);
      if (!killed) continue;
      died += 1;
      await look(point);
    }
    return died;
  }

  async #putBack(start: string, directory: string): Promise<void> {
    await rename(directory, join(this.folder, "used"));
    await cp(start, directory, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await rm(join(this.folder, "used"), { recursive: true, force: true });
  }

  async #stepsOf(verb: Verb): Promise<number> {
    await this.#act(verb, 0);
    return Number((await readFile(join(this.folder, "steps"), "utf8")).trim().split("\n").at(-1));
  }

  /** Whether it was killed. */
  async #act(verb: Verb, point: number): Promise<boolean> {
    const env = { ...process.env, DIE_AT: String(point), STEPS_TO: join(this.folder, "steps") };
    const dying = fileURLToPath(new URL("./dying.cjs", import.meta.url));
    const args = ["--require", dying, this.#program, JSON.stringify(verb)];
    return run(process.execPath, args, { env }).then(
      () => false,
      (error: { signal?: string; stderr?: string }) => {
        if (error.signal === "SIGKILL") return true;
        throw new Error(`it failed by itself at ${point}: ${error.stderr}`);
      },
    );
  }
}
