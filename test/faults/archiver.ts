// A process that puts the workspace of slot 0 away: `archive` through the port, `rescue` without the removal.
import { answer } from "../../src/git/refusal.ts";
import { rescue } from "../../src/git/rescue/keep.ts";
import { openSite } from "../../src/git/site.ts";
import { readRecord, slotOf } from "../../src/git/slots/slot.ts";
import { createCloneWorkspaces } from "../../src/workspaces/index.ts";

const [, , repository = "", home = "", verb = ""] = process.argv;
const options = { repository, home, branch: "harness/mission-x", rootPrefix: "" };
const owner = { task: "task-1", attempt: 1 };

async function rescueOnly() {
  const site = await openSite(options);
  const slot = slotOf(site, 0);
  const record = await readRecord(slot);
  if (record === null) throw new Error("there is no record");
  const gitDir = `${slot.work}/.git`;
  const at = { ...slot, theirIndex: `${gitDir}/index` };
  const place = { at, gitDir, shared: false, indexIsOfBase: true, exempt: [] };
  return answer(() => rescue(site, { ...place, ...owner, base: record.base, why: "a test" }));
}

const path = `${home}/lanes/0/work`;
const outcome =
  verb === "rescue" ? await rescueOnly() : await createCloneWorkspaces(options).archive({ path, ...owner, fence: 1 });
process.stdout.write(`${JSON.stringify(outcome)}\n`);
