// What every sandbox that keeps anything in must do, shown with real programs.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type RunResult, runProcess } from "../kit/run-process.ts";
import type { Reach, Sandbox } from "./sandbox.ts";

export function describeSandbox(name: string, create: () => Sandbox): void {
  function scene() {
    const top = mkdtempSync(join(tmpdir(), "harness-sandbox-"));
    onTestFinished(() => rmSync(top, { recursive: true, force: true }));
    for (const folder of ["work", "hidden/open", "read"]) mkdirSync(join(top, folder), { recursive: true });
    writeFileSync(join(top, "hidden/key"), "key\n");
    writeFileSync(join(top, "read/text"), "text\n");
    const [work, hidden, read] = [join(top, "work"), join(top, "hidden"), join(top, "read")];
    const reach: Reach = { hidden: ["/tmp", tmpdir(), hidden], read: [read], write: [work], network: true };
    const run = (script: string, more: Partial<Reach> = {}, graceMs = 0, signal?: AbortSignal): Promise<RunResult> =>
      runProcess({
        argv: ["/bin/sh", "-c", script],
        wrap: (argv, cwd) => create().confine(argv, cwd, { ...reach, ...more }),
        cwd: work,
        env: { PATH: process.env.PATH ?? "", TOP: top },
        announce: async () => true,
        marker: `contract ${top}`,
        graceMs,
        ...(signal && { signal }),
      });
    return { top, work, hidden, read, run };
  }

  test(`PR-10: in ${name} a program writes its workspace and a temporary place, and reads what is shown`, async () => {
    const { work, run } = scene();
    const { output, end } = await run('cat "$TOP/read/text"; echo a > a; echo b > "$(mktemp)"; cat a');
    expect([end, output, readFileSync(join(work, "a"), "utf8")]).toEqual(["exited", "text\na\n", "a\n"]);
  });

  test(`PR-10: in ${name} what is hidden is not there, what is shown cannot be written, by no name`, async () => {
    const { top, work, run } = scene();
    symlinkSync(join(top, "hidden"), join(work, "way"));
    const tries = ['cat "$TOP/hidden/key"', "cat way/key", 'echo x > "$TOP/read/text"', 'rm "$TOP/read/text"'];
    const more = ['mv "$TOP/read" "$TOP/other"', 'ln "$TOP/read/text" mine', "echo x > /harness-contract"];
    const { output } = await run(
      [...tries, ...more].map((line) => `(${line}) > /dev/null 2>&1 && echo '${line}'`).join("\n"),
    );
    expect(output).toBe("");
    expect([existsSync(join(top, "other")), existsSync("/harness-contract")]).toEqual([false, false]);
    expect(readFileSync(join(top, "read/text"), "utf8")).toBe("text\n");
  });

  test(`PR-10: in ${name} the most specific rule counts, and of one path the widest`, async () => {
    const { top, run } = scene();
    const open = join(top, "hidden/open");
    writeFileSync(join(open, "note"), "note\n");
    const { output } = await run('ls "$TOP/hidden"; cat "$TOP/hidden/open/note"; echo x > "$TOP/hidden/open/x"', {
      read: [open],
      write: [join(top, "work"), open],
    });
    expect([output, existsSync(join(open, "x"))]).toEqual(["open\nnote\n", true]);
  });

  test(`PR-10: in ${name} a program sees no process but its own, and has a network only if it may`, async () => {
    const { run } = scene();
    const seen = await run("ls -d /proc/[0-9]* | wc -l; [ -e /proc/$PPID/stat ] && echo parent");
    expect(Number(seen.output.split("\n")[0])).toBeLessThan(10);
    const { output } = await run("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '", { network: false });
    expect(output).toBe("lo\n");
  });

  test(`PR-10: in ${name} nobody changes the machine's devices, also not root, and they can be used`, async () => {
    const { run } = scene();
    const names = ["null", "zero", "full", "random", "urandom", "tty"].map((each) => `/dev/${each}`);
    const before = names.map((path) => statSync(path).ctimeMs);
    // To the modes they have: if it worked, it would harm nobody.
    const { output } = await run(`chmod 666 ${names.join(" ")}; head -c 3 /dev/zero | wc -c > /dev/null && echo used`);
    expect([output.endsWith("used\n"), names.map((path) => statSync(path).ctimeMs)]).toEqual([true, before]);
  });

  test(`${name} passes exit codes, streams and the environment through`, async () => {
    const { run } = scene();
    const { end, code, output } = await run('echo "$GIVEN" >&2; exit 7', { env: { GIVEN: "given" } });
    expect([end, code, output]).toEqual(["exited", 7, "given\n"]);
  });

  test(`PR-8: in ${name} who is asked to end has time to; who left group, session and environment ends as well`, async () => {
    const { work, run } = scene();
    const stop = new AbortController();
    const polite =
      'trap "echo ended > polite; exit 0" TERM; setsid env -i /bin/sleep 4711.5 & echo > begun; while :; do sleep 0.05; done';
    const running = run(polite, {}, 10_000, stop.signal);
    await expect.poll(() => existsSync(join(work, "begun"))).toBe(true);
    stop.abort();
    expect([(await running).end, existsSync(join(work, "polite"))]).toEqual(["aborted", true]);
    await expect.poll(() => argumentsOfAll().filter((line) => line.includes("4711.5"))).toEqual([]);
  });
}

function argumentsOfAll(): readonly string[] {
  return readdirNumbers().map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      // It ended since it was listed.
      return "";
    }
  });
}

const readdirNumbers = (): readonly string[] => readdirSync("/proc").filter((name) => /^\d+$/.test(name));
