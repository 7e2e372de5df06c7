// What every driver must do, whatever kind of agent it runs. Each variant calls this with fixtures of its own.
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { identifyProcess, isAlive } from "../kit/process-identity.ts";
import { createRedactor } from "../kit/redact.ts";
import { Account } from "../protocol/account.ts";
import type { AgentEvent, ProcessIdentity } from "../protocol/agent.ts";
import type { AgentRequest, Driver } from "./driver.ts";

export interface DriverFixture {
  /** Its agent says "hello" and finishes. */
  greeting(): Driver;
  /** Its agent, in a process, creates the file `acted` in the workspace and finishes. */
  acting(): Driver;
  /**
   * Its agent, in a process, starts a child in the background, writes both pids to the file `pids` in the workspace,
   * then says "hanging", tells nothing more and never ends.
   */
  hanging(): Driver;
  /** As long as `hanging` needs until it hangs; three seconds if not given. */
  readonly hangsWithinMs?: number;
  /** Its agent prints bytes that are no text and crashes. */
  crashing(): Driver;
  /** Its agent prints at least 20 MB, line ends rare or absent, and finishes. */
  flooding(): Driver;
}

/** What a run would ask of a driver. */
export const requestIn = (cwd: string, more: Partial<AgentRequest> = {}): AgentRequest => ({
  task: "task-001",
  attempt: 1,
  iteration: 1,
  role: { name: "worker", text: "the role" },
  brief: "the brief",
  cwd,
  env: { PATH: process.env.PATH ?? "" },
  timeoutMs: 60_000,
  announce: async () => true,
  redactor: createRedactor({ values: [] }),
  ...more,
});

export function describeDriver(name: string, fixture: DriverFixture): void {
  describe(`${name}, as a driver`, () => {
    let cwd = "";
    beforeEach(async () => {
      cwd = await mkdtemp(join(tmpdir(), "driver-"));
    });
    afterEach(() => rm(cwd, { recursive: true, force: true }));

    const request = (more: Partial<AgentRequest> = {}): AgentRequest => requestIn(cwd, more);
    const signal = new AbortController().signal;
    const hasActed = () => existsSync(join(cwd, "acted"));
    const pids = async () => (await readFile(join(cwd, "pids"), "utf8")).trim().split(/\s+/).map(Number);
    const survivors = async () => {
      const identities = await Promise.all((await pids()).map(identifyProcess));
      return identities.filter((identity) => identity !== null);
    };
    const interrupted: AgentEvent = { type: "ended", end: { reason: "interrupted" } };

    test("what the agent says comes first, then exactly one end", async () => {
      const events = await collect(fixture.greeting().run(request(), signal));
      expect(saidIn(events)).toContain("hello");
      expect(events.filter((event) => event.type === "ended")).toEqual([events.at(-1)]);
      expect(ended(events.at(-1))).toEqual({ type: "ended", end: { reason: "finished", message: expect.any(String) } });
    });

    test("tools that it may offer and that cannot be started keep no agent from its work", async () => {
      const tools = { command: ["/nowhere/server"], env: {} } as const;
      const events = await collect(fixture.greeting().run(request({ tools }), signal));
      expect(ended(events.at(-1))).toMatchObject({ end: { reason: "finished" } });
    });

    test("what a tool answered belongs to a call that was told before", async () => {
      const events = await collect(fixture.acting().run(request(), signal));
      const calls = new Set<string>();
      for (const event of events) {
        if (event.type === "called") calls.add(event.call);
        if (event.type === "answered") expect(calls).toContain(event.call);
      }
    });

    test("what it used is told whole or not at all, and never less than before", async () => {
      const events = await collect(fixture.acting().run(request(), signal));
      const last = events.at(-1);
      const account = last?.type === "ended" ? last.end.account : undefined;
      expect(Account.optional().parse(account)).toEqual(account);
      const told = events.flatMap((event) => (event.type === "used" ? [event.tokens] : []));
      const sums = [...told, ...(account ? [account.tokens] : [])].map(({ input, cached }) => input + cached);
      expect(sums).toEqual(sums.toSorted((a, b) => a - b));
    });

    test("each run starts afresh", async () => {
      const driver = fixture.greeting();
      const [first, second] = [
        await collect(driver.run(request(), signal)),
        await collect(driver.run(request(), signal)),
      ];
      expect([saidIn(second), second.at(-1)]).toEqual([saidIn(first), first.at(-1)]);
    });

    test("each process is announced, alive, before it acts", async () => {
      const announced: { readonly identity: ProcessIdentity; readonly hadActed: boolean; readonly alive: boolean }[] =
        [];
      const announce = async (identity: ProcessIdentity) => {
        announced.push({ identity, hadActed: hasActed(), alive: await isAlive(identity) });
        return true;
      };
      await collect(fixture.acting().run(request({ announce }), signal));
      expect(hasActed()).toBe(true);
      expect(announced.length).toBeGreaterThan(0);
      expect(announced).toEqual(
        announced.map(({ identity }) => ({
          identity: { ...identity, group: identity.pid },
          hadActed: false,
          alive: true,
        })),
      );
      expect(await Promise.all(announced.map(({ identity }) => isAlive(identity)))).toEqual(announced.map(() => false));
    });

    test("a refused process ends as interrupted, without having acted", async () => {
      const events = await collect(fixture.acting().run(request({ announce: async () => false }), signal));
      expect(events).toEqual([interrupted]);
      expect(hasActed()).toBe(false);
    });

    test("a run that was aborted before it began starts nothing", async () => {
      const events = await collect(fixture.acting().run(request(), AbortSignal.abort()));
      expect(events).toEqual([interrupted]);
      expect(hasActed()).toBe(false);
    });

    test("on abort it ends as interrupted and leaves nothing alive", async () => {
      const stop = new AbortController();
      const events: AgentEvent[] = [];
      for await (const event of fixture.hanging().run(request(), stop.signal)) {
        events.push(event);
        if (saidIn(events).includes("hanging")) stop.abort();
      }
      expect(events.filter((event) => event.type === "ended")).toEqual([events.at(-1)]);
      expect(ended(events.at(-1))).toEqual(interrupted);
      expect(await survivors()).toEqual([]);
    });

    test("past its time limit it fails with kind timeout and leaves nothing alive", async () => {
      const events = await collect(
        fixture.hanging().run(request({ timeoutMs: fixture.hangsWithinMs ?? 3_000 }), signal),
      );
      expect(ended(events.at(-1))).toEqual({
        type: "ended",
        end: { reason: "failed", failure: expect.objectContaining({ kind: "timeout" }) },
      });
      expect(await survivors()).toEqual([]);
    });

    test("left early it stops everything before it lets go", async () => {
      let said = "";
      for await (const event of fixture.hanging().run(request(), signal)) {
        if (event.type === "said") said += event.text;
        if (said.includes("hanging")) break;
      }
      expect(await survivors()).toEqual([]);
    });

    test("left while it is silent it stops everything, too", async () => {
      const events = fixture.hanging().run(request(), signal)[Symbol.asyncIterator]();
      let said = "";
      while (!said.includes("hanging")) {
        const step = await events.next();
        if (!step.done && step.value.type === "said") said += step.value.text;
      }
      const silence = events.next();
      await events.return?.();
      const { done, value } = await silence;
      expect([done, ended(value)]).toEqual([false, interrupted]);
      expect(await survivors()).toEqual([]);
    });

    test("garbage and a crash are a failed end, with one line that says so", async () => {
      const events = await collect(fixture.crashing().run(request(), signal));
      const failure = expect.objectContaining({ kind: "task_exec", message: expect.stringMatching(/^[^\n]+$/) });
      expect(ended(events.at(-1))).toEqual({ type: "ended", end: { reason: "failed", failure } });
    });

    test("a workspace that is not there is a failed end, not a throw", async () => {
      const events = await collect(fixture.acting().run(request({ cwd: join(cwd, "nowhere") }), signal));
      expect(events.map((event) => event.type === "ended" && event.end.reason)).toEqual(["failed"]);
    });

    test("a flood comes in pieces of a bounded size, and its end is bounded", async () => {
      let total = 0;
      let longest = 0;
      let end = "";
      for await (const event of fixture.flooding().run(request(), signal)) {
        if (event.type === "ended") end = JSON.stringify(event);
        if (event.type === "said") total += event.text.length;
        longest = Math.max(longest, event.type === "said" ? event.text.length : JSON.stringify(event).length);
      }
      expect(total).toBeGreaterThanOrEqual(20_000_000);
      expect(longest).toBeLessThanOrEqual(200_000);
      expect(end.length).toBeLessThanOrEqual(40_000);
    }, 60_000);
  });
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** An end without what was used. */
function ended(event: AgentEvent | undefined): unknown {
  if (event?.type !== "ended") return event;
  const { account: _, ...end } = event.end;
  return { ...event, end };
}

const saidIn = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === "said" ? event.text : "")).join("");
