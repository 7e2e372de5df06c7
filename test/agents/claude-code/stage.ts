// The real Claude Code with a scripted model, in a home and a workspace of its own.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { claudeCode } from "../../../src/drivers/claude-code/index.ts";
import { requestIn } from "../../../src/drivers/driver.contract.ts";
import type { AgentRequest, Driver } from "../../../src/drivers/driver.ts";
import { stoppable } from "../../../src/kit/stoppable.ts";
import type { AgentEnd, AgentEvent } from "../../../src/protocol/agent.ts";
import type { Scenario } from "../mock-model/scenario.ts";
import { scenarioNamed } from "../mock-model/scenarios.ts";
import { type MockModel, startMockModel } from "../mock-model/server.ts";

export interface Played {
  readonly events: readonly AgentEvent[];
  readonly end: AgentEnd | undefined;
  /** What it printed on standard output, without what differs from run to run. */
  readonly stream: string;
  readonly model: Pick<MockModel, "used" | "asked">;
  readonly workspace: string;
}

export interface Play {
  readonly scenario: string | Scenario;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly request?: Partial<AgentRequest>;
  /** Sees each event as it comes, with the pid of the agent and where it works. */
  readonly onEvent?: (event: AgentEvent, pid: number, workspace: string) => void;
}

/** What every run of Claude Code is given here: no network but the model's, few retries, and that it may do all. */
const environment = {
  ANTHROPIC_API_KEY: "dummy",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_MAX_RETRIES: "1",
  IS_SANDBOX: "1",
  PATH: process.env.PATH ?? "",
};

const folders: string[] = [];
const models: MockModel[] = [];
/** To be called after each test. */
export async function strike(): Promise<void> {
  for (const model of models.splice(0)) await model.close();
  // The agent's last files may come while they are removed.
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

export function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `claude-code-${name}-`));
  folders.push(folder);
  return folder;
}

/** A driver that is given the variables of the stage beside those of the request. */
export function driverWith(scenario: string | Scenario, given: Pick<Play, "options" | "env"> = {}) {
  const home = makeFolder("home");
  let model: MockModel | null = null;
  const driver = claudeCode.create(claudeCode.options.parse({ binary: inject("claude"), ...given.options }));
  async function* run(request: AgentRequest, signal: AbortSignal): AsyncGenerator<AgentEvent, void, void> {
    model = await startMockModel(typeof scenario === "string" ? scenarioNamed(scenario) : scenario);
    models.push(model);
    const env = {
      ...environment,
      HOME: home,
      TMPDIR: home,
      ANTHROPIC_BASE_URL: model.url,
      ...given.env,
      ...request.env,
    };
    yield* driver.run({ ...request, env }, signal);
  }
  const staged: Driver = { run: (request, signal) => stoppable(signal, (stop) => run(request, stop)) };
  return { driver: staged, home, model: () => model };
}

export async function play({ scenario, options, env, request, onEvent }: Play): Promise<Played> {
  const workspace = join(makeFolder("place"), "workspace");
  mkdirSync(workspace);
  const staged = driverWith(scenario, { ...(options && { options }), ...(env && { env }) });
  const events: AgentEvent[] = [];
  let stdout = "";
  let pid = 0;
  const asked = requestIn(workspace, {
    announce: async (identity) => {
      pid = identity.pid;
      return true;
    },
    record: (text, stream) => {
      if (stream === "stdout") stdout += text;
    },
    ...request,
  });
  for await (const event of staged.driver.run(asked, new AbortController().signal)) {
    events.push(event);
    onEvent?.(event, pid, workspace);
  }
  const last = events.at(-1);
  const model = staged.model();
  const plain = (text: string): string =>
    [
      [workspace, "/workspace"],
      [staged.home, "/home/user"],
      [new URL(model?.url ?? "http://none").host, "127.0.0.1:1"],
    ].reduce((rest, [from = "", to = ""]) => rest.replaceAll(from, to), text);
  return {
    events,
    end: last?.type === "ended" ? (JSON.parse(plain(JSON.stringify(last.end))) as AgentEnd) : undefined,
    stream: plain(stdout),
    model: model ?? { used: [], asked: () => 0 },
    workspace,
  };
}
