// The power is cut at random moments: what was acknowledged before is there after the next boot.
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished } from "vitest";
import { createRandom } from "../e2e/random.ts";
import { recordNumbers } from "../numbers.ts";
import type { FileSystem, Machine } from "./power-disk.ts";
import { bootMachine, fixture, isWhole, moment, Site, testWithPower } from "./power-site.ts";

const cuts: Readonly<Record<FileSystem, number>> = isWhole ? { ext4: 100, xfs: 100 } : { ext4: 6, xfs: 4 };
const fileSystems = ["ext4", "xfs"] as const;
const timeout = isWhole ? 1_800_000 : 180_000;

/** A running workload, and how far it has been acknowledged; it is stopped between the cuts to keep the plan small. */
function startWorkload(machine: Machine, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { child, ended } = machine.namespace.start([process.execPath, fixture("power-workload.mjs"), ...args], { env });
  let seen = 0;
  let wake: () => void = () => undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    seen = Number(line);
    wake();
  });
  let failure: Error | null = null;
  void ended.then(({ code, stderr }) => {
    if (code !== null && code !== 0) failure = new Error(`the workload ended with ${code}: ${stderr}`);
    wake();
  });
  return {
    ended,
    seen: () => seen,
    stop: () => child.kill("SIGSTOP"),
    goOn: () => child.kill("SIGCONT"),
    async reaches(number: number): Promise<void> {
      while (seen < number) {
        if (failure !== null) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const numbersTo = (last: number): readonly number[] => Array.from({ length: last }, (_, at) => at + 1);

for (const kind of fileSystems) {
  testWithPower(
    `the method: ${kind} keeps synced lines through a cut and loses others`,
    async () => {
      const machine = await bootMachine(kind, ["disk"]);
      const kept: Record<string, number> = {};
      for (const writer of ["plain", "synced"]) {
        const file = join(machine.place, "disk", writer);
        await machine.namespace.must(["touch", file]);
        await machine.namespace.must(["sync", "-f", file]);
        const { ended, seen } = startWorkload(machine, [writer, file], {});
        await ended;
        expect(seen()).toBe(1_000);
        const next = await machine.bootFrom(await machine.clone());
        kept[writer] = (await next.namespace.must(["cat", file])).split("\n").length - 1;
        await next.close();
      }
      expect(kept.synced).toBe(1_000);
      expect(kept.plain).toBeLessThan(1_000);
    },
    60_000,
  );

  testWithPower(
    `PR-1, PR-2: no acknowledged transition is lost by ${cuts[kind]} power cuts on ${kind}`,
    async () => {
      const { random, seed } = createRandom();
      console.log(`seed ${seed}`);
      const machine = await bootMachine(kind, ["disk"]);
      const site = new Site(machine.place, { root: "disk", home: "disk" });
      await site.prepare(machine.namespace);
      await site.must(machine.namespace, "init", "--yes");
      await afterCut(machine, site, 0, `${kind}, right after init`);

      const workload = startWorkload(machine, ["mission", site.root], site.env);
      onTestFinished(() => workload.kill());
      let acknowledged = 0;
      for (let cut = 1; cut < cuts[kind]; cut += 1) {
        workload.goOn();
        await workload.reaches(acknowledged + 1 + Math.floor(random() * 40));
        await moment(random() * 15);
        acknowledged = workload.seen();
        const told = `${kind}, cut ${cut} after ${acknowledged} acknowledgements, seed ${seed}`;
        await afterCut(machine, site, acknowledged, told, () => workload.stop());
      }
      const what = `${cuts[kind]} power cuts on ${kind} in ${acknowledged} acknowledged transitions, 0 lost (seed ${seed})`;
      recordNumbers(["PR-1", "PR-2"], what);
    },
    timeout,
  );
}

/** Cuts now. All that was acknowledged must be in the journal, and the files must show it, whole at every moment. */
async function afterCut(machine: Machine, site: Site, acknowledged: number, told: string, then = () => true) {
  const cut = await machine.clone();
  then();
  const next = await machine.bootFrom(cut);
  const read = (file: string): Promise<string> => next.namespace.must(["cat", join(site.root, file)]);
  const shown = async (file: string): Promise<readonly number[]> =>
    JSON.parse(await read(file)).tasks.map(({ title }: { title: string }) => Number(title));
  try {
    // Before anything of ours looks at it: the files are whole, and show no more than was asked.
    const found = await shown("harness-tasks.json");
    const log = await read("harness-progress.txt");
    const { broken, numbers } = JSON.parse(await site.look(next.namespace));
    expect([told, { broken, numbers }]).toEqual([told, { broken: null, numbers: numbersTo(numbers.length) }]);
    expect(numbers.length, told).toBeGreaterThanOrEqual(acknowledged);
    const tasks = numbers.filter((n: number) => n % 10 !== 4 && n % 10 !== 8);
    expect([told, found]).toEqual([told, tasks.slice(0, found.length)]);

    const { stats } = JSON.parse(await site.must(next.namespace, "status", "--json"));
    expect([told, stats.total]).toEqual([told, tasks.length]);
    await site.must(next.namespace, "add", `${numbers.length + 1}`, "--validate", "true");
    expect([told, await shown("harness-tasks.json")]).toEqual([told, [...tasks, numbers.length + 1]]);
    const mended = await read("harness-progress.txt");
    expect([told, mended]).toEqual([told, await site.must(next.namespace, "logs", "--lines", "1000000")]);
    expect([told, mended.startsWith(log.slice(0, log.lastIndexOf("\n") + 1))]).toEqual([told, true]);
  } finally {
    await next.close();
  }
}
