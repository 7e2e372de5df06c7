// kill -9 of the supervisor at any moment: the next run finishes the work, once, and nothing is left behind.
import { expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";
import { createRandom } from "./random.ts";

const kills = 30;
const atOnce = 5;
const runArgs = ["run", "--agent", "command", "--agent-command", "sh make-a.sh"];

const agent = `
echo 'CHECKPOINT step=1/3 "began"'
sh -c 'for n in 1 2 3 4 5 6 7 8; do date +%N; done' > noise.txt
rm noise.txt
echo a > a.txt
echo 'CHECKPOINT step=2/3 "wrote a.txt"'
git add a.txt
git -c user.name=Agent -c user.email=agent@example.invalid commit --quiet --message "the agent's own commit"
echo b > b.txt
echo 'CHECKPOINT step=3/3 "wrote b.txt"'
`;

async function prepare(): Promise<TestProject> {
  const project = createTestProject({ "make-a.sh": agent });
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt && test -f b.txt", "--max-attempts", "5");
  return project;
}

test(`PR-1, PR-5: a run killed at ${kills} random moments comes to the same end`, { timeout: 300_000 }, async () => {
  const { random, seed } = createRandom();
  const length = await measuredLength();
  const moments = Array.from({ length: kills }, (_, at) => ((at + random()) / kills) * length);
  console.log(
    `seed ${seed}: one run takes ${Math.round(length)} ms; killed at ${moments.map(Math.round).join(", ")} ms`,
  );

  const waiting = [...moments];
  const recovered: string[] = [];
  let interrupted = 0;
  const worker = async () => {
    for (let moment = waiting.shift(); moment !== undefined; moment = waiting.shift()) {
      const project = await prepare();
      const before = project.checkout();
      if (await killedAfter(project, moment)) interrupted += 1;
      const resumed = await project.must(...runArgs);
      for (const [, row] of resumed.stdout.matchAll(/RECOVERY \S+ action="(.*?)"/g)) recovered.push(row ?? "");
      const branch = await project.branch();
      const told = `killed after ${Math.round(moment)} ms, seed ${seed}`;
      expect([told, project.missionCommits(branch)]).toEqual([told, ["task-001: A | task-001"]]);
      expect([told, project.git("diff", "--name-only", "HEAD", branch)]).toEqual([told, "a.txt\nb.txt"]);
      expect([told, project.checkout()]).toEqual([told, before]);
      expect([told, project.processes()]).toEqual([told, []]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const actions = [...new Set(recovered)].map((row) => `${row} (${recovered.filter((one) => one === row).length})`);
  console.log(`${interrupted} of ${kills} kills came before the run's end; recovered by: ${actions.join(", ")}`);
  expect(interrupted).toBeGreaterThan(0);
});

/** As long as it takes with as many others beside it as later. */
async function measuredLength(): Promise<number> {
  const projects = await Promise.all(Array.from({ length: atOnce }, prepare));
  const began = performance.now();
  await Promise.all(projects.map((project) => project.must(...runArgs)));
  return performance.now() - began;
}

/** Only the supervisor is killed: whatever it started is left to itself. */
async function killedAfter(project: TestProject, ms: number): Promise<boolean> {
  const run = project.start(runArgs);
  const timer = setTimeout(() => run.process.kill("SIGKILL"), ms);
  const { signal } = await run.ended;
  clearTimeout(timer);
  return signal === "SIGKILL";
}
