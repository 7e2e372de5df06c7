// M7: giving a slot of the pool to the next task, against the bare git commands that bring a checkout to a commit.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createCloneWorkspaces } from "../src/workspaces/index.ts";
import type { OpenRequest, Workspaces } from "../src/workspaces/workspace.ts";
import { type Measurement, type Options, type Row, ratios, type Took, timeWork } from "./measure.ts";

const files = 2_000;
/** git reads files that were written in the same second as its index; no task is over that soon. */
const aTask = 1_100;

export const slot: Measurement = {
  id: "M7",
  what: "a pooled slot",
  async run({ quick, folder, say }: Options) {
    say(`M7: a slot of ${files} files`);
    const floor = createCheckout(join(folder, "m7-floor"));
    const rows: Row[] = [];
    for (const others of [false, true]) {
      const name = others ? "m7-others" : "m7-alone";
      const lane = new Lane(createCheckout(join(folder, name)), join(folder, `${name}-home`), others);
      await lane.give();
      const measured = await ratios(quick ? 7 : 21, { floor: () => bare(floor), subject: () => lane.give() });
      const meanwhile = others ? "another lane merged meanwhile" : "it merged last";
      const note = `one file changed by the task before, ${meanwhile}; git checkout -f -B, git clean -fd`;
      const work = `open a pooled slot${others ? " behind others" : ""}`;
      rows.push({ id: "M7", work, size: `${files} files`, ...measured, goal: { atMost: 2 }, note });
    }
    return rows;
  },
};

/** A slot whose task is done and merged before the next one gets it; only the giving is timed. */
class Lane {
  readonly #workspaces: Workspaces;
  #number = 0;

  readonly #others: boolean;

  constructor(repository: string, home: string, others: boolean) {
    mkdirSync(home);
    this.#others = others;
    this.#workspaces = createCloneWorkspaces({ repository, home, branch: "harness/mission-x", rootPrefix: "" });
  }

  async give(): Promise<Took> {
    this.#number += 1;
    const [task, attempt, fence] = [`task-${this.#number}`, 1, this.#number];
    let opened: Awaited<ReturnType<Workspaces["open"]>> | null = null;
    const took = await timeWork(async () => {
      opened = await this.#workspaces.open({ slot: 0, task, attempt, fence });
    });
    await setTimeout(aTask);
    await this.#finish(placeOf(opened), { slot: 0, task, attempt, fence });
    if (this.#others) {
      const other = { slot: 1, task: `other-${this.#number}`, attempt, fence };
      await this.#finish(placeOf(await this.#workspaces.open(other)), other);
    }
    return took;
  }

  async #finish({ path, base }: Opening, { slot, task, attempt, fence }: OpenRequest): Promise<void> {
    writeFileSync(join(path, `d1/f1${slot === 0 ? "" : "01"}.txt`), `${this.#number}\n`);
    const message = `${task}: work\n\nHarness-Task: ${task}\n`;
    const candidate = await this.#workspaces.commit({ path, base, message });
    if (!candidate.ok) throw new Error(candidate.failure.message);
    await this.#workspaces.merge({ candidate: candidate.value, task, attempt });
    await this.#workspaces.close({ path, task, attempt, fence });
  }
}

interface Opening {
  readonly path: string;
  readonly base: string;
}

function placeOf(opened: Awaited<ReturnType<Workspaces["open"]>> | null): Opening {
  if (!opened?.ok || opened.value.merged) throw new Error(JSON.stringify(opened));
  return opened.value;
}

const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, env, encoding: "utf8" }).trim();

let turns = 0;
async function bare(checkout: string): Promise<Took> {
  turns += 1;
  await setTimeout(aTask);
  writeFileSync(join(checkout, "d1/f1.txt"), `${turns}\n`);
  git(checkout, "commit", "-q", "-a", "-m", "work");
  const id = git(checkout, "rev-parse", "HEAD~1");
  return timeWork(() => {
    git(checkout, "checkout", "-q", "-f", "-B", "x", id);
    git(checkout, "clean", "-q", "-fd");
  });
}

function createCheckout(path: string): string {
  for (let n = 0; n < files; n += 1) {
    const folder = join(path, `d${n % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${n}.txt`), `file ${n}\n`.repeat(20));
  }
  mkdirSync(join(path, "d1"), { recursive: true });
  writeFileSync(join(path, "d1/f1.txt"), "0\n");
  git(path, "init", "-q", "--initial-branch=main");
  git(path, "config", "user.name", "A User");
  git(path, "config", "user.email", "user@example.org");
  git(path, "add", "-A");
  git(path, "commit", "-q", "-m", "start");
  writeFileSync(join(path, "d1/f1.txt"), "00\n");
  git(path, "commit", "-q", "-a", "-m", "next");
  return path;
}
