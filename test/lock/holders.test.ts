// Who holds a lock, judged on real processes: reused numbers, other users, processes that cannot be seen.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { identifyProcess } from "../../src/kit/process-identity.ts";
import type { ProcessIdentity } from "../../src/protocol/agent.ts";
import { failed, succeeded } from "../../src/protocol/failure.ts";
import { sessionActive } from "../../src/protocol/lock.ts";
import { LockPlace, type Taker } from "./takers.ts";

const place = new LockPlace();
/** A live process that has nothing to do with any lock. */
let stranger: ChildProcess;
let identity: ProcessIdentity;
let taker: Taker;
beforeAll(async () => {
  await place.prepare();
  taker = await place.start();
  stranger = spawn("sleep", ["1000"], { stdio: "ignore" });
  await once(stranger, "spawn");
  const found = await identifyProcess(stranger.pid ?? 0);
  if (found === null) throw new Error("it should run");
  identity = found;
});
afterAll(() => {
  stranger.kill("SIGKILL");
  place.remove();
});
beforeEach(() => place.clear());
afterEach(() => taker.release());

const active = (pid: number) => failed(sessionActive(pid, `wait for it, or end process ${pid}`));
const leave = (owner: ProcessIdentity) => {
  place.leavePid(owner.pid);
  writeFileSync(join(place.path, "owner.json"), JSON.stringify({ ...owner, nonce: "n" }));
};
const writtenAgo = (seconds: number) => {
  const at = Date.now() / 1_000 - seconds;
  utimesSync(join(place.path, "pid"), at, at);
};

test("L1: a live holder is told by its pid, with and without an identity", async () => {
  leave(identity);
  expect(await taker.take()).toEqual(active(identity.pid));
  place.clear();
  place.leavePid(identity.pid);
  expect(await taker.take()).toEqual(active(identity.pid));
});

test("L1: a number that was given to another process is nobody's", async () => {
  leave({ ...identity, startTime: "1" });
  expect(await taker.take()).toEqual(succeeded({ removedStale: identity.pid }));
  await taker.release();
  leave({ ...identity, bootId: "an earlier one" });
  expect(await taker.take()).toEqual(succeeded({ removedStale: identity.pid }));
  await taker.release();
  place.leavePid(identity.pid);
  writtenAgo(3_600);
  expect(await taker.take()).toEqual(succeeded({ removedStale: identity.pid }));
});

test("L1: whom kill -9 ended while it held the lock is replaced and named", async () => {
  const victim = await place.start();
  expect(await victim.take()).toEqual(succeeded({ removedStale: null }));
  expect(await taker.take()).toEqual(active(victim.pid));
  await victim.kill();
  expect(await taker.take()).toEqual(succeeded({ removedStale: victim.pid }));
  expect([place.named(), place.entries()]).toEqual([taker.pid, ["*"]]);
});

test("L1: a run with another journal for the same root is kept out all the same", async () => {
  const other = await place.start(place.args({ journal: join(place.folder, "state", "other.db") }));
  expect(await taker.take()).toEqual(succeeded({ removedStale: null }));
  expect(await other.take()).toEqual(active(taker.pid));
  await taker.release();
  expect(await other.take()).toEqual(succeeded({ removedStale: null }));
  expect(await other.leave()).toBe(0);
});

/** The user `nobody`, who may neither signal nor – as root can arrange – see the processes of others. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)("L1: as another user", () => {
  const journal = join(place.folder, "state", "nobody.db");
  beforeAll(() => {
    chmodSync(place.folder, 0o755);
    chmodSync(join(place.folder, "state"), 0o777);
  });
  afterEach(() => rmSync(journal, { force: true }));
  const asNobody = () => place.start(place.args({ journal }), { uid: nobody, gid: nobody });
  const unseeing = () => {
    const hide = 'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid "$0" --regid "$0" --clear-groups "$@"';
    return place.start(["unshare", "--mount", "sh", "-c", hide, String(nobody), ...place.args({ journal })]);
  };

  test.each([
    ["may not be signalled", asNobody],
    ["may not even be seen (EPERM)", unseeing],
  ])("a holder that %s is alive", async (_, start) => {
    const other = await start();
    leave(identity);
    expect(await other.take()).toEqual(active(identity.pid));
    place.clear();
    place.leavePid(identity.pid);
    expect(await other.take()).toEqual(active(identity.pid));
    place.clear();
    expect(await taker.take()).toEqual(succeeded({ removedStale: null }));
    expect(await other.take()).toEqual(active(taker.pid));
    expect(await other.leave()).toBe(0);
  });

  test("a stale lock that the system keeps for its owner is a failure with a remedy, and stays as it is", async () => {
    const other = await asNobody();
    place.leaveOwner(identity.pid);
    expect(await other.take()).toEqual(
      failed({
        kind: "env_setup",
        message: `the lock ${place.path} cannot be taken: EPERM`,
        remedy: `it belongs to user 0; as that user or as root: rm -r ${place.path}`,
      }),
    );
    expect([place.named(), place.entries()]).toEqual([identity.pid, ["*"]]);
    expect(await taker.take()).toEqual(succeeded({ removedStale: identity.pid }));
    expect(await other.leave()).toBe(0);
  });
});
