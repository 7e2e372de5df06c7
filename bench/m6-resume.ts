// M6: a command that takes a long mission up again, against one start of Node that reads and parses the snapshot.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeEvent } from "../src/protocol/upgrade.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { Journal } from "../src/runtime/journal.ts";
import { openSqliteStore } from "../src/stores/index.ts";
import { type Measurement, type Options, type Row, ratios, timeNode } from "./measure.ts";
import { cli, createProject, type Project } from "./plan.ts";

const tasks = 10_000;
/** Events after the snapshot: about half of what a run lets grow before it writes the next. */
const tail = 5_000;

export const resume: Measurement = {
  id: "M6",
  what: "taking a long mission up again",
  async run({ quick, folder, say }: Options) {
    const rows: Row[] = [];
    for (const events of quick ? [20_000, 100_000] : [20_000, 100_000, 1_000_000]) {
      say(`M6: a journal of ${events} events`);
      const project = createProject(folder, `m6-${events}`, tasks);
      const snapshot = await lengthen(project, events);
      // Writes the log, a line per event, once: what follows finds it there.
      const at = { cwd: project.root, env: project.env };
      const subject = () => timeNode([cli, "logs", "-n", "1"], at);
      await subject();
      const bare = `JSON.parse(require("node:fs").readFileSync(${JSON.stringify(snapshot)}, "utf8"))`;
      const measured = await ratios(quick ? 5 : 11, { floor: () => timeNode(["-e", bare], at), subject });
      const note = `10,000 tasks, snapshot ${tail} events back`;
      rows.push({
        id: "M6",
        work: "open, look, close",
        size: `${events} events`,
        ...measured,
        goal: { atMost: 3 },
        note,
      });
    }
    // Of the ratios: the floor reads the same snapshot, at the same pace of the machine.
    const [first, last] = [rows[0]?.value ?? 0, rows.at(-1)?.value ?? 0];
    const growth = { floorMs: null, subjectMs: null, p10: null, p90: null, value: last / first, goal: { atMost: 1.1 } };
    const size = `${rows[0]?.size} → ${rows.at(-1)?.size}`;
    return [...rows, { id: "M6", work: "growth with the length of journal and log", size, ...growth }];
  },
};

/** Appends until the journal has so many events; answers a file with the text of its snapshot. */
async function lengthen({ home }: Project, events: number): Promise<string> {
  const store = await openSqliteStore({ path: join(home, "journal.db") });
  const journal = new Journal(store, systemClock);
  const append = async (until: number) => {
    for (let { position } = await store.head(); position < until; ) {
      const count = Math.min(10_000, until - position);
      const batch = Array.from({ length: count }, (_, n) => {
        const type = n % 2 === 0 ? ("mission.paused" as const) : ("mission.resumed" as const);
        return encodeEvent({ type, by: "somebody" }, Date.now());
      });
      const commandId = `lengthen-${position}`;
      await store.transact({ after: position, commandId, decide: () => ({ events: batch, runs: [] }) });
      ({ position } = await store.head());
    }
  };
  await append(events - tail);
  await journal.catchUp();
  await journal.snapshot("always");
  await append(events);
  const file = join(home, "snapshot-alone.json");
  writeFileSync(file, (await store.loadSnapshot())?.body ?? "");
  await store.close();
  return file;
}
