// A process of its own for the tests: has a journal like all the others, and publishes after each event.
import { writeSync } from "node:fs";
import { identifySelf, isAlive } from "../../kit/process-identity.ts";
import { encodeEvent } from "../../protocol/upgrade.ts";
import { MemoryJournal, openMemoryStore } from "../../stores/memory/index.ts";
import { added, created, paused, renderPlan, sourceOf } from "./place.fixture.ts";
import { createPublisher } from "./publisher.ts";

const [root = "", home = "", count = "0"] = process.argv.slice(2);

const journal = new MemoryJournal();
const append = (...events: Parameters<typeof encodeEvent>[0][]) => {
  const at = journal.head.position + 1;
  journal.commit(`c-${at}`, { events: events.map((event, n) => encodeEvent(event, at + n)), runs: [] });
};
const publisher = createPublisher({
  root,
  home,
  source: sourceOf(openMemoryStore(journal)),
  processes: { self: identifySelf, isAlive },
  render: renderPlan,
  onTrouble: (failure) => writeSync(2, `${failure.message}\n`),
});

append(created);
for (let n = 1; n <= Number(count); n += 1) {
  append(n % 2 === 0 ? added(`t-${n}`) : paused(`p-${n}`));
  await publisher.publish();
  writeSync(1, `${n}\n`);
}
await publisher.close();
