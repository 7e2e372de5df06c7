// The gits that an operation starts, watched one by one: their files have names of their own making, so a place in one
// is told by which git it is and by the how-manieth call of its kind it makes.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../src/kit/find-program.ts";
import type { Operation } from "./operations.ts";
import { changing, isChange } from "./points.ts";
import type { Scene } from "./scene.ts";
import { hitsIn, parseTrace, type Traced } from "./strace.ts";

export interface GitPoint {
  /** Its arguments as a number, and which of all with these it is. */
  readonly git: string;
  readonly name: string;
  readonly nth: number;
  readonly line: string;
  readonly about: string;
}

/** Stands before the real git on the search path. Names that differ from run to run are the same to it. */
const script = `#!/bin/sh
here=\${0%/*}
. "$here/plan"
key=$(printf '%s\\n' "$@" | sed 's/[0-9a-f]\\{40\\}/x/g; s/steady-[0-9]*/steady/g' | cksum | tr ' ' -)
n=1
until mkdir "$here/seen/$key.$n" 2>/dev/null; do n=$((n + 1)); done
seen=$here/seen/$key.$n
case $mode in
  record)
    printf '%s ' "$@" > "$seen/arguments"
    exec strace -f -y -qq -o "$seen/trace" -e trace="$calls" "$real" "$@" ;;
  hit)
    if [ "$key.$n" = "$target" ]; then
      exec strace -f -y -qq -o "$seen/trace" -e trace="$calls" -e inject="$calls:$inject" "$real" "$@"
    fi ;;
esac
exec "$real" "$@"
`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export class GitWatch {
  readonly #scene: Scene;
  readonly #operation: Operation;
  readonly #real: string;

  private constructor(scene: Scene, operation: Operation, real: string) {
    this.#scene = scene;
    this.#operation = operation;
    this.#real = real;
  }

  static async create(scene: Scene, operation: Operation): Promise<GitWatch> {
    const real = await findProgram("git", { cwd: scene.root, env: scene.env });
    if (real === null) throw new Error("git was not found");
    mkdirSync(scene.beside, { recursive: true });
    writeFileSync(join(scene.beside, "git"), script);
    chmodSync(join(scene.beside, "git"), 0o755);
    return new GitWatch(scene, operation, real);
  }

  /** Every call of every git that changes a file. */
  async points(): Promise<readonly GitPoint[]> {
    await this.#perform({ mode: "record", calls: ["openat", ...changing].join(","), target: "", inject: "" });
    return this.#seen().flatMap(({ git, trace, about }) => {
      const counts = new Map<string, number>();
      const points = new Map<string, GitPoint>();
      for (const { thread, name, path, line } of parseTrace(trace)) {
        const nth = (counts.get(`${thread} ${name}`) ?? 0) + 1;
        counts.set(`${thread} ${name}`, nth);
        // Of several threads the first that comes so far is hit.
        if (/^(pipe|socket|anon_inode):|^\/dev\/(?!shm\/)/.test(path) || !isChange({ name, path, nth, line })) continue;
        if (!points.has(`${name} ${nth}`)) points.set(`${name} ${nth}`, { git, name, nth, line, about });
      }
      return [...points.values()];
    });
  }

  /** The operation with this git killed at this call; `hits` tells whether it came so far. */
  async kill({ git, name, nth }: GitPoint): Promise<Traced> {
    const inject = `signal=KILL:when=${nth}`;
    const ended = await this.#perform({ mode: "hit", calls: name, target: git, inject });
    const trace = this.#seen().find((one) => one.git === git)?.trace ?? "";
    return { ...ended, hits: hitsIn(trace, inject) };
  }

  async #perform(plan: Readonly<Record<string, string>>): Promise<Traced> {
    this.#scene.restore();
    const { beside, env } = this.#scene;
    rmSync(join(beside, "seen"), { recursive: true, force: true });
    mkdirSync(join(beside, "seen"));
    const lines = Object.entries({ ...plan, real: this.#real }).map(([name, value]) => `${name}=${quoted(value)}\n`);
    writeFileSync(join(beside, "plan"), lines.join(""));
    return this.#scene.performed(this.#operation.args, { PATH: `${beside}:${env.PATH}` });
  }

  #seen(): readonly { readonly git: string; readonly trace: string; readonly about: string }[] {
    const folder = join(this.#scene.beside, "seen");
    return readdirSync(folder)
      .sort()
      .map((git) => {
        const read = (name: string) =>
          readdirSync(join(folder, git)).includes(name) ? readFileSync(join(folder, git, name), "utf8") : "";
        return { git, trace: read("trace"), about: read("arguments") };
      });
  }
}

/** Short enough for a line: the verb and what it does there. */
export const tellGit = ({ about, name, nth, line }: GitPoint): string =>
  `${name} #${nth} of git ${about.split(" ").slice(-4).join(" ")} (${line.slice(0, 120)})`;

/** Null if it never came so far. */
export async function reachGit(watch: GitWatch, point: GitPoint): Promise<Traced | null> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const ended = await watch.kill(point);
    if (ended.hits > 0) return ended;
  }
  return null;
}
const maxTries = 12;
