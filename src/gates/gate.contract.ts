// What every gate must do, whatever it judges by. Each variant calls this with fixtures of its own.
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { identifyProcess, isAlive } from "../kit/process-identity.ts";
import { createRedactor } from "../kit/redact.ts";
import type { ProcessIdentity } from "../protocol/agent.ts";
import { Verdict } from "../protocol/gate.ts";
import type { Gate, GateRequest } from "./gate.ts";

export interface GateFixture {
  passing(): Gate;
  failing(): Gate;
  /** One whose check cannot run at all. */
  unable(): Gate;
  /** Null for a gate that starts no process. */
  readonly processes: {
    /** Creates the file `acted` and passes. */
    acting(): Gate;
    /** Starts a child in the background, moves a file with both pids to `pids`, and never ends. */
    hanging(): Gate;
    /** Prints at least 20 MB, then passes. */
    flooding(): Gate;
  } | null;
}

export function describeGate(name: string, fixture: GateFixture): void {
  describe(`${name}, as a gate`, () => {
    let dir = "";
    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), "gate-"));
    });
    afterEach(() => rm(dir, { recursive: true, force: true }));

    const request = (more: Partial<GateRequest> = {}): GateRequest => ({
      dir,
      env: { PATH: process.env.PATH ?? "" },
      announce: async () => true,
      redactor: createRedactor({ values: [] }),
      ...more,
    });
    const signal = new AbortController().signal;
    const hasActed = () => existsSync(join(dir, "acted"));
    const unableVerdict = {
      verdict: "unable",
      failure: expect.objectContaining({ kind: expect.stringMatching(/^(env_setup|config)$/) }),
    };

    test("it passes, fails or is unable, with a reason in one line, as the stored shape asks for", async () => {
      const verdicts = [
        await fixture.passing().check(request(), signal),
        await fixture.failing().check(request(), signal),
        await fixture.unable().check(request(), signal),
      ];
      expect(verdicts.map((verdict) => Verdict.parse(verdict))).toEqual(verdicts);
      expect(verdicts).toEqual([
        { verdict: "pass", evidence: expect.any(String) },
        { verdict: "fail", failure: expect.objectContaining({ message: expect.stringMatching(/^[^\n]+$/) }) },
        unableVerdict,
      ]);
    });

    test("aborted before it began it is unable, whatever it would have said", async () => {
      const verdicts = [
        await fixture.passing().check(request(), AbortSignal.abort()),
        await fixture.failing().check(request(), AbortSignal.abort()),
      ];
      expect(verdicts).toEqual([unableVerdict, unableVerdict]);
    });

    const { processes } = fixture;
    if (processes === null) return;

    test("each process is announced, alive, before it acts, and none is left", async () => {
      const announced: { readonly identity: ProcessIdentity; readonly hadActed: boolean; readonly alive: boolean }[] =
        [];
      const announce = async (identity: ProcessIdentity) => {
        announced.push({ identity, hadActed: hasActed(), alive: await isAlive(identity) });
        return true;
      };
      expect(await processes.acting().check(request({ announce }), signal)).toEqual(
        expect.objectContaining({ verdict: "pass" }),
      );
      expect([hasActed(), announced.length > 0]).toEqual([true, true]);
      expect(announced).toEqual(announced.map(({ identity }) => ({ identity, hadActed: false, alive: true })));
      expect(await Promise.all(announced.map(({ identity }) => isAlive(identity)))).toEqual(announced.map(() => false));
    });

    test("a refused process never acts, and the gate is unable", async () => {
      expect(await processes.acting().check(request({ announce: async () => false }), signal)).toEqual(unableVerdict);
      expect(hasActed()).toBe(false);
    });

    test("a directory that is not there makes it unable", async () => {
      expect(await processes.acting().check(request({ dir: join(dir, "nowhere") }), signal)).toEqual(unableVerdict);
    });

    test("on abort it stops everything, then is unable", async () => {
      const stop = new AbortController();
      const checking = processes.hanging().check(request(), stop.signal);
      await expect.poll(() => existsSync(join(dir, "pids"))).toBe(true);
      stop.abort();
      expect(await checking).toEqual(unableVerdict);
      const pids = (await readFile(join(dir, "pids"), "utf8")).trim().split(/\s+/).map(Number);
      expect(await Promise.all(pids.map(identifyProcess))).toEqual(pids.map(() => null));
    });

    test("a flood leaves bounded evidence", async () => {
      const verdict = await processes.flooding().check(request(), signal);
      expect(verdict.verdict).toBe("pass");
      expect(JSON.stringify(verdict).length).toBeLessThanOrEqual(40_000);
    }, 60_000);
  });
}
