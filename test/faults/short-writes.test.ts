// What the sweeps of short writes do not see – the visible lock, which is gone when a run ends –, and whether they see
// anything: a system that says it took what it did not take.
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockPath } from "../../src/runtime/lock/names.ts";
import { beginnings, type Operation, wholeRun } from "./operations.ts";
import { leftFaults, nextFaults, rehearse } from "./rehearsal.ts";
import { cutWrite, shortWrites, stageOf } from "./short-writes.ts";

test("L1, PR-18: the visible lock is whole when the system takes only half of what is written into it", async () => {
  // As any other program sees it: by its files.
  const look = 'cp "$HOME/lock/pid" "$HOME/lock/owner.json" "$HOME"; echo work > "$HARNESS_TASK_ID.txt"';
  const prepare: Operation["prepare"] = async (scene) => {
    await wholeRun.prepare(scene);
    symlinkSync(lockPath(scene.root), join(scene.live, "home/lock"));
  };
  const rehearsal = await rehearse({ name: "run", args: ["run", "--agent-command", look], prepare });
  const { scene } = rehearsal;
  const writes = await shortWrites(stageOf(rehearsal), { few: 1, many: 1 });
  const ofLock = writes.filter(({ point }) => point.path.startsWith(lockPath(scene.root)));
  const seen: unknown[] = [];
  for (const trouble of ofLock) {
    expect(await cutWrite(stageOf(rehearsal), trouble)).toMatchObject({ code: 0 });
    const [pid, owner] = ["pid", "owner.json"].map((name) => readFileSync(join(scene.live, "home", name), "utf8"));
    seen.push([trouble.what, owner?.endsWith("}\n") && `${JSON.parse(owner).pid}\n` === pid]);
  }
  scene.remove();
  expect(seen).toEqual([
    ["every write from there on taken by half", true],
    ["one write taken by half", true],
    ["every write from there on taken by half", true],
    ["one write taken by half", true],
  ]);
});

test("PR-18: bytes that a system loses and says it took are missed, in the journal and in each view", async () => {
  const [init] = beginnings;
  if (init === undefined) throw new Error("there is no beginning");
  const rehearsal = await rehearse(init);
  const { scene } = rehearsal;
  const isMeant = (path: string) => /\/(journal\.db|harness-tasks\.json\.tmp|harness-progress\.txt)$/.test(path);
  const writes = (await shortWrites(stageOf(rehearsal), { few: 1, many: 1 })).filter(
    ({ point, inject }) => point.nth === 1 && inject === "on" && isMeant(point.path),
  );
  const unseen: string[] = [];
  for (const trouble of writes) {
    const ended = await cutWrite(stageOf(rehearsal), trouble, { SHORT_WRITE_LIE: "1" });
    if (ended === null) throw new Error(`not reached: ${trouble.point.path}`);
    const faults = await leftFaults(rehearsal, ended).catch((error: unknown) => [String(error)]);
    const later = await nextFaults(rehearsal).catch((error: unknown) => [String(error)]);
    if (faults.length + later.length === 0) unseen.push(trouble.point.path);
  }
  scene.remove();
  expect([writes.length, unseen]).toEqual([3, []]);
});
