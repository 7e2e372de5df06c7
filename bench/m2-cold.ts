// M2: commands started cold, against the start of Node itself (and bare reading of the bytes they speak of).
import { join } from "node:path";
import { type Measurement, type Options, type Pair, type Row, ratios, timeNode } from "./measure.ts";
import { cli, createProject, type Project } from "./plan.ts";

interface Command {
  readonly args: readonly string[];
  readonly goal: number;
  /** Read by the floor as well. */
  readonly bytes: (project: Project) => string | null;
}

const journal = ({ home }: Project) => join(home, "journal.db");

const commands: readonly Command[] = [
  { args: ["status"], goal: 1.3, bytes: () => null },
  { args: ["tasks", "--json"], goal: 1.3, bytes: ({ home }) => join(home, "views/tasks.json") },
  { args: ["add", "One more", "--validate", "true"], goal: 2, bytes: journal },
  // Last: each round takes a task away, with its workspace.
  { args: ["claim", "--trust-all"], goal: 2, bytes: journal },
];

const journalled = new Set<string | undefined>(["add", "claim"]);

export const cold: Measurement = {
  id: "M2",
  what: "cold commands",
  async run({ quick, folder, say }: Options) {
    const rows: Row[] = [];
    for (const size of [10, 1_000, 10_000]) {
      say(`M2: a plan of ${size}`);
      const project = createProject(folder, `m2-${size}`, size);
      for (const command of commands) {
        const measured = await ratios(quick ? 5 : 21, pairOf(command, project));
        const work = `harness ${command.args.slice(0, journalled.has(command.args[0]) ? 1 : 2).join(" ")}`;
        rows.push({ id: "M2", work, size: `${size} tasks`, ...measured, goal: { atMost: command.goal } });
      }
    }
    return rows;
  },
};

function pairOf({ args, bytes }: Command, project: Project): Pair {
  const file = bytes(project);
  const bare = file === null ? "0" : `require("node:fs").readFileSync(${JSON.stringify(file)})`;
  const at = { cwd: project.root, env: project.env };
  return { floor: () => timeNode(["-e", bare], at), subject: () => timeNode([cli, ...args], at) };
}
