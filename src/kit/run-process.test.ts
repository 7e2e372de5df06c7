import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identifyProcess, isAlive, type ProcessIdentity } from "./process-identity.ts";
import { type RunOptions, runProcess } from "./run-process.ts";

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "run-process-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? "" };
const agree = async () => true;
const sh = (command: string, more: Partial<RunOptions> = {}) =>
  runProcess({ argv: ["/bin/sh", "-c", command], cwd, env, announce: agree, ...more });
const anyDuration = expect.any(Number);

/** Resolves once the program has printed this. */
function printed(text: string): { readonly seen: Promise<void>; readonly onOutput: (chunk: string) => void } {
  let all = "";
  let resolve = (): void => undefined;
  const seen = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    seen,
    onOutput(chunk) {
      all += chunk;
      if (all.includes(text)) resolve();
    },
  };
}

const pidsIn = (output: string): number[] => output.match(/\d+/g)?.map(Number) ?? [];
const survivors = async (pids: readonly number[]) =>
  (await Promise.all(pids.map(identifyProcess))).filter((identity) => identity !== null);

test("a normal end is a value with code, output of both streams and its size", async () => {
  expect(await sh("echo out; echo err >&2; exit 3")).toEqual({
    end: "exited",
    code: 3,
    signal: null,
    output: expect.stringMatching(/^(out\nerr|err\nout)\n$/),
    bytes: 8,
    durationMs: anyDuration,
  });
});

test("the program gets exactly the environment it is given", async () => {
  const result = await sh("", { argv: ["/usr/bin/env"], env: { ONLY: "this", SECOND: "a b" } });
  expect(result.output.split("\n").sort()).toEqual(["", "ONLY=this", "SECOND=a b"]);
});

test("the program gets no descriptor of ours", async () => {
  expect((await sh("( : >&3 ) 2>/dev/null || echo closed")).output).toBe("closed\n");
});

test.runIf(isMainThread)("/dev/stdin, /dev/stdout and /dev/stderr can be opened, as in a terminal", async () => {
  const result = await sh("cat /dev/stdin > /dev/stdout; echo err > /dev/stderr", { stdin: "in\n" });
  expect([result.end, result.code, result.output.split("\n").sort()]).toEqual(["exited", 0, ["", "err", "in"]]);
});

test("the program does not begin before it is announced, and keeps the announced pid", async () => {
  const announced: { identity: ProcessIdentity; hadActed: boolean }[] = [];
  const result = await sh("touch acted; echo $$", {
    async announce(identity) {
      announced.push({ identity, hadActed: existsSync(join(cwd, "acted")) });
      return isAlive(identity);
    },
  });
  const pid = Number(result.output);
  expect(announced).toEqual([{ identity: expect.objectContaining({ pid, group: pid }), hadActed: false }]);
  expect(existsSync(join(cwd, "acted"))).toBe(true);
});

test("a refused program ends without having begun", async () => {
  const announced: ProcessIdentity[] = [];
  const result = await sh("touch acted", {
    async announce(identity) {
      announced.push(identity);
      return false;
    },
  });
  expect(result).toEqual({ end: "refused", code: null, signal: null, output: "", bytes: 0, durationMs: 0 });
  expect(existsSync(join(cwd, "acted"))).toBe(false);
  expect(await Promise.all(announced.map(isAlive))).toEqual([false]);
});

test("what announce throws comes out, with the program ended before it began", async () => {
  const announced: ProcessIdentity[] = [];
  const running = sh("touch acted", {
    async announce(identity) {
      announced.push(identity);
      throw new Error("the journal is gone");
    },
  });
  await expect(running).rejects.toThrow("the journal is gone");
  expect(existsSync(join(cwd, "acted"))).toBe(false);
  expect(await Promise.all(announced.map(isAlive))).toEqual([false]);
});

test("what onOutput throws comes out, with the program ended", async () => {
  let pid = 0;
  const running = sh("echo $$; sleep 1000", {
    onOutput(text) {
      pid = Number(text);
      throw new Error("the disk is full");
    },
  });
  await expect(running).rejects.toThrow("the disk is full");
  expect(await survivors([pid])).toEqual([]);
});

test("a missing program is told apart from one that exits with 127", async () => {
  const missing = await sh("", { argv: ["no-such-program"] });
  expect(missing).toEqual({
    end: "not_started",
    code: null,
    signal: null,
    reason: "program not found: no-such-program",
    output: "",
    bytes: 0,
    durationMs: 0,
  });
  expect(await sh("exit 127")).toEqual(expect.objectContaining({ end: "exited", code: 127 }));
  expect(await sh("no-such-program")).toEqual(expect.objectContaining({ end: "exited", code: 127 }));
});

test("a missing directory and impossible arguments are not started, with the reason", async () => {
  const reasons = [
    await sh("true", { cwd: join(cwd, "nowhere") }),
    await sh("true", { argv: ["/bin/sh", "-c", "echo a\0b"] }),
    await sh("true", { argv: ["/bin/sh", "-c", "x".repeat(4_000_000)] }),
  ].map((result) => (result.end === "not_started" ? result.reason : result.end));
  expect(reasons).toEqual([
    `no such directory: ${join(cwd, "nowhere")}`,
    expect.stringContaining("null bytes"),
    expect.stringContaining("E2BIG"),
  ]);
});

test("a program that crashes is signalled", async () => {
  const result = await sh("kill -SEGV $$");
  expect(result).toEqual({
    end: "signalled",
    code: null,
    signal: "SIGSEGV",
    output: "",
    bytes: 0,
    durationMs: anyDuration,
  });
});

test("a program that ignores TERM is killed after the grace", async () => {
  const result = await sh("trap '' TERM; echo $$; while :; do sleep 1; done", { timeoutMs: 2_000, graceMs: 100 });
  expect([result.end, result.signal]).toEqual(["timeout", "SIGKILL"]);
  expect(await survivors(pidsIn(result.output))).toEqual([]);
});

test("a program that stops itself is ended past its limit", async () => {
  const result = await sh("echo $$; kill -STOP $$", { timeoutMs: 2_000, graceMs: 100 });
  expect(result.end).toBe("timeout");
  expect(await survivors(pidsIn(result.output))).toEqual([]);
});

test("abort asks the whole group first: what tidies up in the grace is not cut short by a leader that died", async () => {
  const { seen, onOutput } = printed("ready");
  const stop = new AbortController();
  const running = sh("(trap 'echo tidied; exit' TERM; echo ready; while :; do sleep 0.02; done) 2>/dev/null & wait", {
    signal: stop.signal,
    onOutput,
  });
  await seen;
  stop.abort();
  const result = await running;
  expect([result.end, result.output]).toEqual(["aborted", "ready\ntidied\n"]);
});

test("an abort before or during the announcement means that the program never begins", async () => {
  const during = new AbortController();
  const results = [
    await sh("touch acted", { signal: AbortSignal.abort() }),
    await sh("touch acted", {
      signal: during.signal,
      async announce() {
        during.abort();
        return true;
      },
    }),
  ];
  expect(results.map((result) => result.end)).toEqual(["aborted", "aborted"]);
  expect(existsSync(join(cwd, "acted"))).toBe(false);
});

test.for([
  ["a background child", "sleep 1000 & echo $!"],
  ["a child that ignores TERM", "(trap '' TERM; sleep 1000) & echo $!"],
  ["a double fork", "mkfifo told; ( ( sleep 1000 & echo $!; : > told ) & ); read -r _ < told; true"],
  ["a child that holds the pipes", "(exec sleep 1000) & echo $!; exit 0"],
])("%s does not outlive a normal end", async ([, command]) => {
  const result = await sh(command ?? "");
  expect([result.end, result.code]).toEqual(["exited", 0]);
  expect(pidsIn(result.output)).toHaveLength(1);
  expect(await survivors(pidsIn(result.output))).toEqual([]);
});

test("a marked child that left the group is ended too", async () => {
  const result = await sh("mkfifo told; setsid sh -c 'echo $$; : > told; sleep 1000' & read -r _ < told; true", {
    marker: `test-${process.pid}-left`,
  });
  expect(pidsIn(result.output)).toHaveLength(1);
  expect(await survivors(pidsIn(result.output))).toEqual([]);
});

test("an unmarked child that left the group and holds the pipe open does not hold us up", async () => {
  const result = await sh("mkfifo told; setsid sh -c 'echo $$; : > told; exec sleep 1000' & read -r _ < told; true");
  expect(result.end).toBe("exited");
  const [stray] = await survivors(pidsIn(result.output));
  process.kill(stray?.pid ?? 0, "SIGKILL");
});

test("200 MB in one endless line are read through, with only head and tail kept", async () => {
  const result = await sh("head -c 200000000 /dev/zero | tr '\\0' a", { keep: { headBytes: 1_000, tailBytes: 500 } });
  expect([result.end, result.bytes]).toEqual(["exited", 200_000_000]);
  expect(result.output).toBe(`${"a".repeat(1_000)}\n… 199998500 bytes left out …\n${"a".repeat(500)}`);
}, 60_000);

test("a slow taker loses nothing and is never handed two pieces at once", async () => {
  let taken = 0;
  let busy = false;
  const overlaps: number[] = [];
  const result = await sh("head -c 1000000 /dev/zero", {
    async onOutput(text) {
      if (busy) overlaps.push(taken);
      busy = true;
      await new Promise((resolve) => setImmediate(resolve));
      taken += text.length;
      busy = false;
    },
  });
  expect([result.end, result.bytes, taken, overlaps]).toEqual(["exited", 1_000_000, 1_000_000, []]);
});

test("invalid UTF-8 and NULs come out as text", async () => {
  expect((await sh("printf '\\377\\376 a\\000b'")).output).toBe("\ufffd\ufffd a\0b");
});

test("5 MB on standard input are read whole, or left unread without harm", async () => {
  const stdin = "x".repeat(5_000_000);
  expect((await sh("wc -c", { stdin })).output.trim()).toBe("5000000");
  expect(await sh("exit 0", { stdin })).toEqual(expect.objectContaining({ end: "exited", code: 0 }));
});
