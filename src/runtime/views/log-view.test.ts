import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isoTime } from "../../kit/iso-time.ts";
import { type AppendFile, openAppendFile } from "./append-file.ts";
import { type MarkFile, markFile } from "./log-mark.ts";
import { LogView, type LogViewOptions } from "./log-view.ts";
import {
  added,
  claimed,
  completed,
  created,
  opened,
  Place,
  paused,
  runEnded,
  runStarted,
  sessionEnded,
} from "./place.fixture.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

const name = "harness-progress.txt";
const view = (parts: Partial<LogViewOptions> = {}): LogView =>
  new LogView({ root: place.root, home: place.home, ...parts });
/** What another process, which knows nothing but the files, makes of it. */
const advance = () => view().advance(place.source());
const shortened = "[SESSION-1] WARN harness-progress.txt was shortened by somebody else";

test("N1: each event that has a line gets it once, however often the log is brought up to date", async () => {
  await place.append(created, added("task-001"));
  const first = view();
  await first.advance(place.source());
  await first.advance(place.source());
  await place.append(paused("ann"));
  await advance();
  await first.advance(place.source());
  expect(place.log()).toEqual([
    "[SESSION-1] INIT Harness initialized for project /p",
    "[SESSION-1] WARN paused by ann",
    "",
  ]);
});

test("N2: lines before a session is counted carry the next number, the end of a run that of its session", async () => {
  const check = (session: number) =>
    ({ type: "session.checked", session, passed: true, again: false, failure: null }) as const;
  await place.append(created, runStarted(), check(1), { type: "session.started", session: 1 });
  await place.append(added("t-1"), claimed("t-1"), opened("t-1"), completed("t-1"), sessionEnded(1));
  await advance();
  await place.append(check(2), { type: "session.started", session: 2 }, paused("ann"), sessionEnded(2), runEnded());
  await place.append(paused("bob"), runStarted("r-2"), { type: "session.started", session: 3 });
  await place.append({ type: "run.ended", run: "r-2", reason: "lost", detail: "pid=7" }, runStarted("r-3"));
  const { stats } = await advance();
  expect(place.log()).toEqual([
    "[SESSION-1] INIT Harness initialized for project /p",
    "[SESSION-1] LOCK acquired (pid=7)",
    "[SESSION-1] INIT Environment health check: PASS",
    "[SESSION-1] Starting [t-1] Title of t-1 (base=aaaaaaa)",
    "[SESSION-1] Completed [t-1] (commit aaaaaaa)",
    `[SESSION-1] ${stats}`,
    "[SESSION-2] INIT Environment health check: PASS",
    "[SESSION-2] WARN paused by ann",
    `[SESSION-2] ${stats}`,
    "[SESSION-2] LOCK released",
    "[SESSION-3] WARN paused by bob",
    "[SESSION-3] LOCK acquired (pid=7)",
    "[SESSION-4] WARN Removed stale lock from pid=7",
    "[SESSION-4] LOCK acquired (pid=7)",
    "",
  ]);
  expect(stats).toBe("STATS tasks_total=1 completed=1 failed=0 pending=0 blocked=0 attempts_total=1 checkpoints=0");
});

describe("N1: killed at any step, the next process neither doubles nor loses a line", () => {
  class Killed extends Error {}
  const expected = ["ann", "bob", "cleo"].map((by) => `[SESSION-1] WARN paused by ${by}`);

  /** Dies at the n-th step that changes a file: before it, in the middle of it, or after it. */
  function dying(
    step: number,
    when: "before" | "within" | "after",
  ): { parts: Partial<LogViewOptions>; steps(): number } {
    let steps = 0;
    const act = async (work: () => Promise<void>, half?: () => Promise<void>) => {
      steps += 1;
      if (steps === step && when === "before") throw new Killed();
      if (steps === step && when === "within" && half !== undefined) {
        await half();
        throw new Killed();
      }
      await work();
      if (steps === step) throw new Killed();
    };
    const real = markFile(join(place.home, "views.json"));
    const marks: MarkFile = { load: real.load, save: (mark) => act(() => real.save(mark)) };
    const open = async (path: string): Promise<AppendFile> => {
      const file = await openAppendFile(path);
      const half = (text: string) => () => file.append(text.slice(0, text.length / 2));
      return {
        ...file,
        append: (text) => act(() => file.append(text), half(text)),
        sync: () => act(() => file.sync()),
      };
    };
    return { parts: { marks, open }, steps: () => steps };
  }

  const steps = [1, 2, 3, 4];
  const cases = steps.flatMap((step) => (["before", "within", "after"] as const).map((when) => ({ step, when })));

  test.each(cases)("$when step $step", async ({ step, when }) => {
    await place.append(created);
    await advance();
    await place.append(paused("ann"), paused("bob"), paused("cleo"));
    await expect(view(dying(step, when).parts).advance(place.source())).rejects.toThrow(Killed);
    await advance();
    await advance();
    expect(place.log().filter((line) => expected.includes(line))).toEqual(expected);
    expect(place.text(name).endsWith("\n")).toBe(true);
  });

  test("those were all the steps there are", async () => {
    await place.append(created);
    await advance();
    await place.append(paused("ann"), paused("bob"), paused("cleo"));
    const alive = dying(Number.POSITIVE_INFINITY, "after");
    await view(alive.parts).advance(place.source());
    expect(alive.steps()).toBe(steps.length);
  });

  test("cut at any byte of the batch", async () => {
    await place.append(created);
    await advance();
    const before = place.text(name).length;
    await place.append(paused("ann"), paused("bob"), paused("cleo"));
    await expect(view(dying(2, "after").parts).advance(place.source())).rejects.toThrow(Killed);
    const whole = place.text(name);
    const mark = readFileSync(join(place.home, "views.json"));
    for (let length = before; length <= whole.length; length += 1) {
      writeFileSync(place.path(name), whole.slice(0, length));
      writeFileSync(join(place.home, "views.json"), mark);
      await advance();
      expect(place.log().filter((line) => expected.includes(line))).toEqual(expected);
    }
  });

  test("PR-1: also after a power cut that left nothing but the length of what was appended, at any byte", async () => {
    await place.append(created);
    await advance();
    const before = place.text(name);
    await place.append(paused("ann"), paused("bob"), paused("cleo"));
    await expect(view(dying(2, "after").parts).advance(place.source())).rejects.toThrow(Killed);
    const whole = place.text(name);
    const mark = readFileSync(join(place.home, "views.json"));
    for (let kept = before.length; kept < whole.length; kept += 1) {
      writeFileSync(place.path(name), whole.slice(0, kept).padEnd(whole.length, "\0"));
      writeFileSync(join(place.home, "views.json"), mark);
      await advance();
      expect(place.log().filter((line) => expected.includes(line))).toEqual(expected);
      expect(place.text(name)).not.toContain("\0");
    }
    expect(place.text(name).startsWith(before)).toBe(true);
  });

  test("also when the title of a line changed meanwhile", async () => {
    await place.append(created, added("t-1", "old"), claimed("t-1"));
    await advance();
    await place.append(opened("t-1"));
    await expect(view(dying(3, "before").parts).advance(place.source())).rejects.toThrow(Killed);
    const edited = added("t-1", "new");
    if (edited.type === "task.added") await place.append({ type: "task.edited", spec: edited.spec });
    await advance();
    expect(place.log()).toEqual([
      "[SESSION-1] INIT Harness initialized for project /p",
      "[SESSION-1] Starting [t-1] old (base=aaaaaaa)",
      "[SESSION-1] WARN [t-1] changed by a person",
      "",
    ]);
  });

  test("also when somebody else's line came in between", async () => {
    await place.append(created);
    await advance();
    await place.append(paused("ann"), paused("bob"));
    await expect(view(dying(2, "within").parts).advance(place.source())).rejects.toThrow(Killed);
    appendFileSync(place.path(name), "a stranger's line\n");
    await advance();
    expect(place.log().filter((line) => line.startsWith("[SESSION-1] WARN paused"))).toEqual(expected.slice(0, 2));
    expect(place.text(name)).toContain("a stranger's line\n");
  });
});

test("N1: a log that somebody shortened is continued and says so once", async () => {
  await place.append(created, paused("ann"));
  await advance();
  truncateSync(place.path(name), 20);
  const rest = place.text(name);
  await place.append(paused("bob"));
  await advance();
  await advance();
  expect(place.text(name).startsWith(`${rest}\n`)).toBe(true);
  expect(place.log().slice(1)).toEqual([shortened, "[SESSION-1] WARN paused by bob", ""]);
});

test("N1: a log that somebody deleted is begun again from here, and says so once", async () => {
  await place.append(created, paused("ann"));
  await advance();
  rmSync(place.path(name));
  await advance();
  await place.append(paused("bob"));
  await advance();
  expect(place.log()).toEqual([shortened, "[SESSION-1] WARN paused by bob", ""]);
});

test("PR-19: the note that a log was shortened has the journal's time, and no line goes back behind another", async () => {
  await place.append(created, paused("ann"));
  await advance();
  truncateSync(place.path(name), 20);
  await place.append(paused("bob"), paused("cleo"));
  await advance();
  rmSync(place.path(name));
  await advance();
  await place.append(paused("dan"));
  await advance();
  const times = [...place.text(name).matchAll(/^\[(\S+Z)\]/gm)].map(([, time]) => time);
  expect(times).toEqual([isoTime(4), isoTime(5)]);
});

test("F6: a log that was there before the journal keeps every byte", async () => {
  writeFileSync(place.path(name), "an old log\nwithout an end");
  await place.append(created);
  await advance();
  expect(place.text(name).split("\n").slice(0, 2)).toEqual(["an old log", "without an end"]);
  expect(place.log().slice(2)).toEqual(["[SESSION-1] INIT Harness initialized for project /p", ""]);
});

test("a batch is one write, and a long log is not read", async () => {
  appendFileSync(place.path(name), "a line of a very long log\n".repeat(100_000));
  await place.append(created, paused("ann"), paused("bob"));
  const writes: string[] = [];
  let read = 0;
  const open = async (path: string): Promise<AppendFile> => {
    const file = await openAppendFile(path);
    return {
      ...file,
      append: (text) => {
        writes.push(text);
        return file.append(text);
      },
      read: async (offset, length) => {
        const bytes = await file.read(offset, length);
        read += bytes.length;
        return bytes;
      },
    };
  };
  await view({ open }).advance(place.source());
  await view({ open }).advance(place.source());
  expect(writes.map((text) => text.split("\n").length - 1)).toEqual([3]);
  expect(read).toBe(1);
});

test("a link or a directory in the log's place is refused, and what it points to stays as it is", async () => {
  await place.append(created);
  const precious = join(place.folder, "precious");
  writeFileSync(precious, "precious\n");
  symlinkSync(precious, place.path(name));
  await expect(advance()).rejects.toThrow("ELOOP");
  rmSync(place.path(name));
  mkdirSync(place.path(name));
  await expect(advance()).rejects.toThrow("EISDIR");
  expect(readFileSync(precious, "utf8")).toBe("precious\n");
});

test("a damaged memory of the log is named, not guessed over", async () => {
  await place.append(created);
  writeFileSync(join(place.home, "views.json"), "{");
  await expect(advance()).rejects.toThrow("views.json is damaged; delete it");
});
