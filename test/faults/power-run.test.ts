// The power is cut while agents work, with the project and the state home on different disks: neither can rely on the
// other's syncs. The next boot's run brings the plan to the same end.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, onTestFinished } from "vitest";
import { createRandom } from "../e2e/random.ts";
import { recordNumbers } from "../numbers.ts";
import type { Machine } from "./power-disk.ts";
import type { Namespace } from "./power-namespace.ts";
import { bootMachine, isWhole, moment, Site, testWithPower } from "./power-site.ts";

const [tasks, cuts] = isWhole ? [12, 40] : [2, 2];
/** Stays a while after it spoke: its file is then in the journal of the file system, and its bytes are not on the disk. */
const work = 'echo "$HARNESS_TASK_ID" > "$HARNESS_TASK_ID.txt"; echo wrote it; sleep 0.3';
const agent = ["run", "--sandbox", "off", "--agent-command", work];
const ids = Array.from({ length: tasks }, (_, at) => `task-${String(at + 1).padStart(3, "0")}`);

for (const kind of ["ext4", "xfs"] as const) {
  testWithPower(
    `PR-1, PR-5: a run of ${tasks} tasks comes to the same end after each of ${cuts} power cuts on ${kind}`,
    async () => {
      const { random, seed } = createRandom();
      console.log(`seed ${seed}`);
      const machine = await bootMachine(kind, ["home", "project"]);
      const site = new Site(machine.place, { root: "project", home: "home" });
      await site.prepare(machine.namespace);
      await site.must(machine.namespace, "init", "--yes");
      for (const id of ids) await site.must(machine.namespace, "add", id, "--validate", `test -f ${id}.txt`);

      const run = startRun(machine, site);
      onTestFinished(() => run.kill());
      const linesPerTask = 2;
      let locks = 0;
      // The first as soon as there is a workspace: nothing of the lane had time to reach the disk by itself.
      const others = Array.from({ length: cuts - 1 }, () => Math.floor(random() * tasks * linesPerTask));
      const moments = [1, ...others].sort((a, b) => a - b);
      for (const [at, lines] of moments.entries()) {
        await run.hasPrinted(lines);
        await moment(random() * 400);
        const completed = run.completed();
        await run.stop();
        const cut = await machine.clone();
        locks += await comesToItsEnd(machine, site, cut, {
          completed,
          told: `${kind}, cut ${at + 1} after ${completed.length} completed, seed ${seed}`,
        });
        run.goOn();
      }
      const what = `${cuts} power cuts on ${kind} during a run of ${tasks} tasks, project and state home on different disks: 0 completed tasks lost, each merged once, ${locks} stopped at a lock file of a git that was cut off (seed ${seed})`;
      recordNumbers(["PR-1", "PR-5"], what);
    },
    isWhole ? 1_800_000 : 180_000,
  );
}

function startRun(machine: Machine, site: Site) {
  const { child, ended } = site.start(machine.namespace, agent);
  const lines: string[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (/ (Starting|Completed) \[/.test(line)) lines.push(line);
    wake();
  });
  void ended.then(() => {
    isOver = true;
    wake();
  });
  return {
    completed: () => lines.flatMap((line) => / Completed \[(.+?)\]/.exec(line)?.[1] ?? []),
    /** Also when it has ended: a cut may come later. */
    async hasPrinted(count: number): Promise<void> {
      while (lines.length < count && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    /** Once it is answered, the supervisor writes nothing more: the disks are cloned one after the other. */
    async stop(): Promise<void> {
      child.kill("SIGSTOP");
      while (!isOver && !isStopped(child.pid ?? 0)) await moment(1);
    },
    goOn: () => child.kill("SIGCONT"),
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function isStopped(pid: number): boolean {
  try {
    return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true; // it has ended
  }
}

interface Known {
  readonly completed: readonly string[];
  readonly told: string;
}

async function comesToItsEnd(machine: Machine, site: Site, cut: string, { completed, told }: Known): Promise<number> {
  const { namespace, close } = await machine.bootFrom(cut);
  try {
    const look = async () => JSON.parse(await site.must(namespace, "status", "--json"));
    const { mission, tasks: lines } = await look();
    const done = lines.flatMap(({ id, status }: { id: string; status: string }) => (status === "completed" ? id : []));
    expect([told, completed.filter((id) => !done.includes(id))]).toEqual([told, []]);
    const merged = async () => {
      const format = "--format=%(trailers:key=Harness-Task,valueonly,separator=%x20)";
      return (await site.git(namespace, "log", "--reverse", format, `main..${mission.branch}`))
        .split("\n")
        .slice(0, -1);
    };
    // What the journal says is merged is in the branch, with all its objects.
    if (done.length > 0) expect([told, (await merged()).slice(0, done.length)]).toEqual([told, done]);
    await site.git(namespace, "fsck", "--no-dangling");
    const locks = await runToItsEnd(namespace, site);
    expect([told, (await merged()).toSorted()]).toEqual([told, ids]);
    // Nothing of the project is emptied or missing because a workspace was cut off.
    const changes = await site.git(namespace, "diff", "--name-status", "main", mission.branch);
    expect([told, changes]).toEqual([told, ids.map((id) => `A\t${id}.txt\n`).join("")]);
    expect([told, JSON.parse(await site.look(namespace)).broken]).toEqual([told, null]);
    await site.git(namespace, "fsck", "--no-dangling");
    return locks;
  } finally {
    await close();
  }
}

/** A git that was cut off leaves its lock file. The run stops and names it (V3); a person removes it. */
async function runToItsEnd(namespace: Namespace, site: Site): Promise<number> {
  for (let locks = 0; ; locks += 1) {
    const { code, stdout, stderr } = await site.start(namespace, agent).ended;
    if (code === 0) return locks;
    const lock = /Unable to create '(\S+\.lock)': File exists/.exec(stderr + stdout)?.[1];
    if (lock === undefined) throw new Error(`the run after the cut ended with ${code}\n${stdout}${stderr}`);
    await namespace.must(["rm", lock]);
  }
}
