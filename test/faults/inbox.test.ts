// `harness inbox process`, killed at its calls on files: said again, it comes to the same files.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import type { Operation } from "./operations.ts";
import { isChange, kill } from "./points.ts";
import { hitEach, newTally, tellTally } from "./reach.ts";
import { rehearse } from "./rehearsal.ts";
import { howMuch, sample } from "./sample.ts";
import type { Scene } from "./scene.ts";
import { requireStrace } from "./strace.ts";

const tally = newTally();
beforeAll(requireStrace);
afterAll(() =>
  recordNumbers(
    ["PR-3"],
    `inbox process (${howMuch}): kill -9 at file calls ${tellTally(tally)}; 0 results lost or doubled`,
  ),
);

const results = { "a.md": "# A\nfound\n", "b.txt": "0123456789".repeat(5_000) };
const process: Operation = {
  name: "inbox process",
  args: ["inbox", "process"],
  async prepare(scene) {
    await scene.must("init", "--yes");
    for (const [name, text] of Object.entries(results)) scene.write(`.harness/search_results/${name}`, text);
  },
};

/** What must be there in the end, whatever happened before, by the name of each file without its hash. */
const whole = [
  "research_overview.md",
  "search_results/processed_json/a.json",
  "search_results/processed_json/b.json",
  "search_results/processed_json/raw/a.md",
  "search_results/processed_json/raw/b.txt",
  "tasks/mission/research/a.md",
  ...[1, 2, 3].map((n) => `tasks/mission/research/b.part-00${n}.md`),
];

async function aftermath(scene: Scene): Promise<readonly string[]> {
  await scene.must("inbox", "process");
  const top = join(scene.root, ".harness");
  const files = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1))
    // A draft of one that was killed is nobody's: its name begins with a dot.
    .filter((path) => /^(research_|search_results|tasks)/.test(path) && !/(^|\/)\./.test(path))
    .sort();
  const named = files.map((path) => path.replace(/-[0-9a-f]{8}(?=\.)/, ""));
  const faults = JSON.stringify(named) === JSON.stringify(whole) ? [] : [`there are ${named.join(", ")}`];
  for (const path of files.filter((one) => one.includes("/raw/"))) {
    const name = path.endsWith(".md") ? "a.md" : "b.txt";
    if (readFileSync(join(top, path), "utf8") !== results[name]) faults.push(`${name} is not as it was`);
    const record = JSON.parse(readFileSync(join(top, path.replace("/raw/", "/").replace(/\.\w+$/, ".json")), "utf8"));
    if (record.chunks.join("") !== results[name]) faults.push(`the record of ${name} is not whole`);
  }
  return faults;
}

test("I7, PR-3: inbox process, killed at any call that changes a file, loses no result and doubles none", async () => {
  const rehearsal = await rehearse(process);
  const points = sample(rehearsal.points.filter(isChange), { few: 8, many: 1 });
  expect(points.length).toBeGreaterThan(5);
  const faultsOf = () => aftermath(rehearsal.scene);
  const faults = await hitEach(rehearsal, points.map(kill), { tally, faultsOf });
  rehearsal.scene.remove();
  expect(faults).toEqual([]);
});
