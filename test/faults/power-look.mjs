// What the journal of a project holds: whether its chain is whole, and the number that each of the workload's
// commands left in an event, in order.
import { locateProject, openMission, verifyJournal } from "../../dist/index.mjs";

const [root] = process.argv.slice(2);
const project = await locateProject(root, process.env, root);
if (!project.ok) throw new Error(project.failure.message);
const broken = await verifyJournal(project.value);
const mission = await openMission(project.value, { env: process.env });
if (!mission.ok) throw new Error(mission.failure.message);
const numbers = [];
const ends = new AbortController();
ends.abort();
for await (const { event } of mission.value.events(0, ends.signal)) {
  if (event.type === "task.added") numbers.push(Number(event.spec.title));
  if (event.type === "mission.paused" || event.type === "mission.resumed") numbers.push(Number(event.by));
}
await mission.value.close();
process.stdout.write(JSON.stringify({ broken, numbers }));
