// A process of its own on a disk whose power is cut: prints each thing once it is acknowledged.
// `mission ROOT` asks a real mission through the built library; `plain FILE` and `synced FILE` show what the disk keeps.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { locateProject, openMission } from "../../dist/index.mjs";

const [kind, path] = process.argv.slice(2);
const acknowledge = (what) => writeSync(1, `${what}\n`);

if (kind === "mission") await askMission(path);
else appendLines(path, kind === "synced");

async function askMission(root) {
  const project = await locateProject(root, process.env, root);
  if (!project.ok) throw new Error(project.failure.message);
  const mission = await openMission(project.value, { env: process.env });
  if (!mission.ok) throw new Error(mission.failure.message);
  for (let n = 1; ; n += 1) {
    const answer = await mission.value.submit(commandOf(n));
    if (!answer.ok) throw new Error(answer.failure.message);
    acknowledge(n);
  }
}

/** Most add a task; some have a line in the log. */
function commandOf(n) {
  if (n % 10 === 4) return { type: "mission.pause", by: `${n}` };
  if (n % 10 === 8) return { type: "mission.resume", by: `${n}` };
  return { type: "task.add", task: { title: `${n}`, validation: { command: "true" } } };
}

function appendLines(file, isSynced) {
  const descriptor = openSync(file, "a");
  for (let n = 1; n <= 1_000; n += 1) {
    writeSync(descriptor, `${n}\n`);
    if (isSynced) fsyncSync(descriptor);
    acknowledge(n);
  }
  closeSync(descriptor);
}
