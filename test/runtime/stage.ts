// The real runtime on the families' doubles: a mission in one process, without git, agents or files.
import type { Driver } from "../../src/drivers/driver.ts";
import type { Gate, GateRequest } from "../../src/gates/gate.ts";
import { createRedactor } from "../../src/kit/redact.ts";
import type { Notifier } from "../../src/notifiers/notifier.ts";
import { succeeded } from "../../src/protocol/failure.ts";
import { Setup } from "../../src/protocol/setup.ts";
import { Limits } from "../../src/protocol/task.ts";
import { createMemoryLock } from "../../src/runtime/lock/memory-lock.ts";
import { createMission, type Mission } from "../../src/runtime/mission.ts";
import type { Ports } from "../../src/runtime/ports.ts";
import { unconfined } from "../../src/runtime/unconfined.ts";
import { MemoryJournal, openMemoryStore } from "../../src/stores/index.ts";
import { createMemoryRepository, createMemoryWorkspaces } from "../../src/workspaces/index.ts";

export const identity = { host: "h", bootId: "b", pid: 1, group: 1, startTime: "1" };

export class Stage {
  readonly journal = new MemoryJournal();
  readonly repository = createMemoryRepository();
  /** What the gate was asked to judge. */
  readonly judged: GateRequest[] = [];
  #ids = 0;

  ports(parts: Partial<Ports> = {}): Ports {
    return {
      integration: { mode: "branch", baseBranch: null, validation: null },
      lock: createMemoryLock(),
      views: () => ({ publish: async () => undefined, flush: async () => undefined, close: async () => undefined }),
      signals: { watch: () => ({ close: () => undefined }), clear: async () => undefined },
      project: { root: "/p", facts: async () => ({ initScript: false, hash: null, what: [] }) },
      store: openMemoryStore(this.journal),
      clock: { now: () => 1_000, monotonic: () => 1_000, every: () => ({ stop: () => undefined }) },
      workspaces: createMemoryWorkspaces(this.repository),
      notifier: { send: async () => undefined },
      driver: () => succeeded(this.writer("a.txt")),
      agent: "writer",
      random: () => 0,
      gate: () => succeeded(this.#gate()),
      processes: { self: async () => identity, isAlive: async () => false, endGroup: async () => undefined },
      environment: () => ({}),
      confinement: unconfined,
      withheld: () => [],
      setup: Setup.parse({}),
      lanePorts: async () => succeeded({}),
      limits: { memoryBytes: 1e9, processes: 100, openFiles: 1_024 },
      room: { shortage: async () => null, watch: () => ({ close: () => undefined }) },
      output: { open: () => ({ record: () => undefined, close: async () => undefined }) },
      newId: () => {
        this.#ids += 1;
        return `id-${this.#ids}`;
      },
      redactor: createRedactor({ values: ["s3cret-value"] }),
      ...parts,
    };
  }

  /** A mission with one task `task-001`. */
  async mission(parts: Partial<Ports> = {}): Promise<Mission> {
    const mission = await createMission(this.ports(parts));
    if (mission.state().mission !== null) return mission;
    await mission.submit({
      type: "mission.create",
      mission: "m",
      branch: "harness/m",
      root: "/p",
      limits: Limits.parse({}),
    });
    await mission.submit({ type: "task.add", task: { title: "t", validation: { command: "true", timeoutMs: 1_000 } } });
    return mission;
  }

  /** An agent that writes one file and ends. */
  writer(file: string): Driver {
    const { repository } = this;
    return {
      async *run({ cwd }) {
        repository.write(cwd, file, "work\n");
        yield { type: "said", text: "wrote it\n" };
        yield { type: "ended", end: { reason: "finished", message: "done" } };
      },
    };
  }

  #gate(): Gate {
    return {
      check: async (request) => {
        this.judged.push(request);
        return { verdict: "pass", evidence: "ok" };
      },
    };
  }
}

export const never = new AbortController().signal;
export const brokenNotifier: Notifier = { send: () => Promise.reject(new Error("no network")) };
