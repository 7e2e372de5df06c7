import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failed, succeeded } from "../../protocol/failure.ts";
import { lockContention, lockReclaimed, sessionActive } from "../../protocol/lock.ts";
import { createMemoryLock, MemoryLockPlace } from "./memory-lock.ts";
import { lockPath } from "./names.ts";
import { alone, Base, root, self } from "./place.fixture.ts";

let base: Base;
beforeEach(() => {
  base = new Base();
});
afterEach(() => base.remove());

const makePipe = (path: string) => void execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
const taken = (removedStale: number | null) => succeeded({ removedStale });
const active = (pid: number) => failed(sessionActive(pid, `wait for it, or end process ${pid}`));

test("L1: the name is the seed's: /tmp, and 16 hex digits of the hash of the root", () => {
  const hash = execFileSync(
    "sh",
    ["-c", `printf '%s' '${root}' | (shasum -a 256 2>/dev/null || sha256sum) | cut -c1-16`],
    { encoding: "utf8" },
  );
  expect(lockPath(root)).toBe(`/tmp/harness-${hash.trim()}.lock`);
});

const variants = ["visible", "memory"] as const;
describe.each(variants)("L1: the %s lock", (variant) => {
  const open = () => {
    const place = new MemoryLockPlace();
    return () => (variant === "memory" ? createMemoryLock(place, base.lookout) : base.lock());
  };

  test("one holds it, the others are told who, and a released one is free", async () => {
    const lock = open();
    const first = lock();
    base.alive.add(10);
    expect(await first.take(self)).toEqual(taken(null));
    expect(await lock().take({ ...self, pid: 11 })).toEqual(active(10));
    expect(await first.take(self)).toEqual(active(10));
    await first.release();
    expect(await lock().take({ ...self, pid: 11 })).toEqual(taken(null));
  });

  test("a dead holder is replaced and named", async () => {
    const lock = open();
    await lock().take(self);
    expect(await lock().take({ ...self, pid: 11 })).toEqual(taken(10));
  });

  test("a release is for what was taken here: never of another, never twice, never without a take", async () => {
    const lock = open();
    const first = lock();
    await first.release();
    await first.take(self);
    base.alive.add(11);
    expect(await lock().take({ ...self, pid: 11 })).toEqual(taken(10));
    await first.release();
    await first.release();
    expect(await lock().take({ ...self, pid: 12 })).toEqual(active(11));
  });
});

test("L1, S1: it holds one line with the pid for scripts and the identity for us, readable for all users", async () => {
  const before = process.umask(0o077);
  try {
    await base.lock().take(self);
  } finally {
    process.umask(before);
  }
  expect(base.read("pid")).toBe("10\n");
  expect(JSON.parse(base.read("owner.json"))).toEqual({ ...self, nonce: expect.stringMatching(/^[0-9a-f]{32}$/) });
  const modes = [".", "pid", "owner.json"].map((name) => (statSync(join(base.path, name)).mode & 0o777).toString(8));
  expect(modes).toEqual(["755", "644", "644"]);
  expect(base.entries()).toEqual(["*"]);
});

describe("L1: whose it is", () => {
  test.each<[string, (at: Base) => void, number | null]>([
    ["an empty directory that a killed script left", (at) => at.leave({}), null],
    ["a dead script's", (at) => at.leave({ pid: "20\n" }), 20],
    ["a dead run's", (at) => at.leaveOwner({ pid: 20 }), 20],
    ["one without a line", (at) => at.leave({ pid: "" }), null],
    ["one whose pid is text", (at) => at.leave({ pid: "me" }), null],
    ["one whose pid means a group", (at) => at.leave({ pid: "0" }), null],
    ["one whose pid means everybody", (at) => at.leave({ pid: "-1" }), null],
    ["one with bytes", (at) => at.leave({ pid: "\u0000\u0001", "owner.json": "\u0000" }), null],
    ["one with a giant", (at) => at.leave({ pid: "1".repeat(100_000) }), null],
    ["one of other files", (at) => at.leave({ other: "x" }), null],
    [
      "one with a pipe",
      (at) => {
        at.leave({});
        makePipe(join(at.path, "pid"));
      },
      null,
    ],
    [
      "one with links",
      (at) => {
        at.leave({ "target.json": JSON.stringify({ ...self, nonce: "n" }) }, join(at.folder, "elsewhere"));
        at.leave({});
        symlinkSync(join(at.folder, "elsewhere", "target.json"), join(at.path, "owner.json"));
        symlinkSync("/proc/self/stat", join(at.path, "pid"));
      },
      null,
    ],
  ])("%s is nobody's and is replaced", async (_, leave, pid) => {
    base.alive.add(10);
    leave(base);
    expect(await base.lock().take(self)).toEqual(taken(pid));
    expect(base.read("pid")).toBe("10\n");
    expect(base.entries().filter((entry) => entry.startsWith("*"))).toEqual(["*"]);
  });

  test.each<[string, (at: Base) => void]>([
    ["a script", (at) => at.leave({ pid: "20\n" })],
    ["a script that ends its line otherwise", (at) => at.leave({ pid: "20" })],
    ["a run", (at) => at.leaveOwner({ pid: 20 })],
    ["a run whose owner.json a power cut emptied", (at) => at.leave({ pid: "20\n", "owner.json": "" })],
    [
      "a script that wrote into a dead run's lock",
      (at) => {
        at.leaveOwner({ pid: 30 });
        at.leave({ pid: "20\n" });
      },
    ],
    [
      "a run into whose lock a dead script wrote",
      (at) => {
        at.leaveOwner({ pid: 20 });
        at.leave({ pid: "30\n" });
      },
    ],
  ])("of %s that lives, it is held", async (_, leave) => {
    base.alive.add(20);
    leave(base);
    const before = base.entries();
    expect(await base.lock().take(self)).toEqual(active(20));
    expect(base.entries()).toEqual(before);
  });

  test("of another host it is held, and only a person can say that it is not", async () => {
    base.leaveOwner({ pid: 20, host: "there" });
    const remedy = `wait for it, or end process 20 on there; if it is gone: rm -r ${base.path}`;
    expect(await base.lock().take(self)).toEqual(failed(sessionActive(20, remedy)));
  });
});

describe("L1: against others that do not share the journal", () => {
  /** Does something right before the n-th rename, where a script could come between. */
  const before = (n: number, act: () => void) => {
    let count = 0;
    return (from: string, to: string) => {
      count += 1;
      if (count === n) act();
      renameSync(from, to);
    };
  };
  const replacedBy = (pid: number) => () => {
    rmSync(base.path, { recursive: true, force: true });
    base.alive.add(pid);
    base.leave({ pid: `${pid}\n` });
  };

  test("a lock that is published first wins, and nothing of ours stays", async () => {
    const lock = base.lock({ rename: before(1, replacedBy(30)) });
    expect(await lock.take(self)).toEqual(failed(lockContention));
    expect([base.read("pid"), base.entries()]).toEqual(["30\n", ["*"]]);
  });

  test("a script that fills its empty directory at the last moment wins", async () => {
    base.leave({});
    const lock = base.lock({ rename: before(1, () => base.leave({ pid: "30\n" })) });
    expect(await lock.take(self)).toEqual(failed(lockContention));
    expect([base.read("pid"), base.entries()]).toEqual(["30\n", ["*"]]);
  });

  test("one that replaced the stale lock before we moved it gets its own back", async () => {
    base.leave({ pid: "20\n" });
    const lock = base.lock({ rename: before(1, replacedBy(30)) });
    expect(await lock.take(self)).toEqual(failed(lockReclaimed));
    expect([base.read("pid"), base.entries()]).toEqual(["30\n", ["*"]]);
  });

  test("one that came after we moved the stale lock wins", async () => {
    base.leave({ pid: "20\n" });
    const lock = base.lock({ rename: before(2, replacedBy(30)) });
    expect(await lock.take(self)).toEqual(failed(lockContention));
    expect([base.read("pid"), base.entries()]).toEqual(["30\n", ["*"]]);
  });

  test("a stale lock that vanishes at the last moment is no obstacle", async () => {
    base.leave({ pid: "20\n" });
    const lock = base.lock({ rename: before(1, () => rmSync(base.path, { recursive: true })) });
    expect(await lock.take(self)).toEqual(taken(20));
  });

  test("what was judged is looked at again under the journal's lock: a live one that came between is not touched", async () => {
    base.leave({ pid: "20\n" });
    const store = {
      exclusively: async <T>(work: () => T) => {
        if (!base.alive.has(30)) replacedBy(30)();
        return work();
      },
    };
    expect(await base.lock({ store }).take(self)).toEqual(active(30));
    expect([base.read("pid"), base.entries()]).toEqual(["30\n", ["*"]]);
  });

  test("one that is always another is left to the others in the end", async () => {
    let pid = 100;
    const store = {
      exclusively: async <T>(work: () => T) => {
        pid += 1;
        base.leave({ pid: `${pid}\n` });
        return work();
      },
    };
    expect(await base.lock({ store }).take(self)).toEqual(failed(lockReclaimed));
  });

  test("a release puts back what is not ours", async () => {
    const lock = base.lock({ rename: before(2, replacedBy(30)) });
    await lock.take(self);
    await lock.release();
    expect([base.read("pid"), base.entries()]).toEqual(["30\n", ["*"]]);
  });
});

test("L1: every change of the lock is made with the journal locked", async () => {
  base.leaveOwner({ pid: 20 });
  const seen: unknown[] = [];
  const shown = () => [base.entries(), base.read("owner.json")];
  const store = {
    exclusively: async <T>(work: () => T) => {
      seen.push(shown());
      const result = work();
      seen.push(shown());
      return result;
    },
  };
  const before = shown();
  expect(await base.lock({ store }).take(self)).toEqual(taken(20));
  expect(seen).toEqual([before, shown()]);
});

test("L1: a lock that a temp cleaner removed is released all the same", async () => {
  const lock = base.lock();
  await lock.take(self);
  rmSync(base.path, { recursive: true });
  await lock.release();
  expect(base.entries()).toEqual([]);
});

test("L1: what killed processes of ours left beside the lock is removed; what scripts left is theirs", async () => {
  const ours = ["new", "stale"].map((kind) => `${base.path}.${kind}.${"0".repeat(32)}`);
  const theirs = [`${base.path}.stale.123`, `${base.path}.new.${"0".repeat(31)}`, join(base.folder, "x.lock.new")];
  for (const path of [...ours, ...theirs]) base.leave({ pid: "1\n" }, path);
  await base.lock().take(self);
  expect(base.entries()).toEqual(["*", `*.new.${"0".repeat(31)}`, "*.stale.123", "x.lock.new"]);
});

describe("L1: what cannot be a lock is left alone and named", () => {
  const refusal = {
    ok: false,
    failure: { kind: "env_setup", message: expect.any(String), remedy: expect.any(String) },
  };

  test.each<[string, (path: string) => void]>([
    ["a file", (path) => writeFileSync(path, "precious")],
    ["a link to a directory", (path) => symlinkSync("/", path)],
    ["a link to nowhere", (path) => symlinkSync("/nowhere", path)],
    ["a pipe", makePipe],
  ])("%s", async (_, make) => {
    make(base.path);
    const before = lstatSync(base.path);
    const answer = await base.lock().take(self);
    expect(answer).toEqual(refusal);
    expect(answer).toMatchObject({ failure: { remedy: `see what it is, then: rm ${base.path}` } });
    expect(lstatSync(base.path)).toMatchObject({ ino: before.ino, mode: before.mode });
    expect(base.entries()).toEqual(["*"]);
  });

  test("a folder that is not there", async () => {
    const folder = join(base.folder, "gone");
    const answer = await base.lock({ base: folder }).take(self);
    expect(answer).toEqual(refusal);
    expect(answer).toMatchObject({ failure: { remedy: `see that ${folder} can be written to` } });
  });

  test("a file where the folder should be", async () => {
    writeFileSync(join(base.folder, "file"), "");
    expect(await base.lock({ base: join(base.folder, "file") }).take(self)).toEqual(refusal);
  });

  test("a lock of another user that the system does not let us move", async () => {
    base.leave({ pid: "20\n" });
    const rename = () => {
      throw Object.assign(new Error("EPERM: operation not permitted, rename"), { code: "EPERM" });
    };
    expect(await base.lock({ rename }).take(self)).toEqual({
      ok: false,
      failure: {
        kind: "env_setup",
        message: `the lock ${base.path} cannot be taken: EPERM`,
        remedy: `see that ${base.folder} can be written to`,
      },
    });
    expect([base.read("pid"), base.entries()]).toEqual(["20\n", ["*"]]);
  });

  test("a bug is thrown, not told as a failure", async () => {
    const bug = new Error("a bug");
    const store = { ...alone, exclusively: () => Promise.reject(bug) };
    await expect(base.lock({ store }).take(self)).rejects.toBe(bug);
  });
});

test("L1: a lock nobody may list or read counts as nobody's and is replaced where the system allows it", async () => {
  base.leave({ pid: "20\n" });
  mkdirSync(join(base.path, "owner.json"));
  chmodSync(join(base.path, "pid"), 0o000);
  const isRoot = process.getuid?.() === 0;
  expect(await base.lock().take(self)).toEqual(taken(isRoot ? 20 : null));
  expect(readFileSync(join(base.path, "pid"), "utf8")).toBe("10\n");
});
