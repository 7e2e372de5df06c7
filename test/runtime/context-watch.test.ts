import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { handOverText } from "../../src/core/context-watch.ts";
import type { AgentRequest, Driver } from "../../src/drivers/driver.ts";
import type { AgentEvent } from "../../src/protocol/agent.ts";
import type { EventOf } from "../../src/protocol/event.ts";
import { succeeded } from "../../src/protocol/failure.ts";
import { decodeEvent } from "../../src/protocol/upgrade.ts";
import { unconfined } from "../../src/runtime/unconfined.ts";
import { Stage } from "./stage.ts";

const never = new AbortController().signal;
const window = 1_000;
const used = (tokens: number): AgentEvent => ({
  type: "used",
  tokens: { input: tokens, cached: 0, output: 0 },
  context: { tokens, window },
});
const finished: AgentEvent = { type: "ended", end: { reason: "finished", message: "done" } };

interface Agent {
  /** What it does in its first iteration; in later ones it is done at once. */
  first(request: AgentRequest, stage: Stage, signal: AbortSignal): AsyncIterable<AgentEvent>;
}

/** What the agent was told, how its iterations ended, what the second one was given, and what became of the task. */
async function live({ first }: Agent) {
  const stage = new Stage();
  const heard: string[] = [];
  const briefs: string[] = [];
  const driver: Driver = {
    async *run(request, signal) {
      briefs.push(request.brief);
      request.words?.listen((word) => heard.push(word));
      if (request.iteration === 1) yield* first(request, stage, signal);
      else yield finished;
    },
  };
  const folder = mkdtempSync(join(tmpdir(), "words-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = await unconfined.agent(async () => "");
  const confinement = {
    ...unconfined,
    agent: async () => ({ ...place, letters: { folder, seenAt: folder } }),
  };
  const mission = await stage.mission({ driver: () => succeeded(driver), confinement });
  await mission.run({ lanes: 1, once: true }, never);
  const ends = stage.journal.events
    .map((event) => decodeEvent(event))
    .filter((event): event is EventOf<"iteration.ended"> & { at: number } => event.type === "iteration.ended")
    .map(({ end }) => ({ ...end, account: undefined }));
  const task = mission.state().tasks.get("task-001");
  return { heard, ends, briefs, outcome: [task?.phase.status, task?.attempts] };
}

const handOver = ({ repository }: Stage, cwd: string): void =>
  repository.write(cwd, "state/handoff.json", '{"phase":"build","completed":["half"],"next_step":"the rest"}');

test("I6: past three quarters of its context an agent is asked, once, to hand over; having done so it is not judged, and the next one goes on from there", async () => {
  const { heard, ends, briefs, outcome } = await live({
    async *first({ cwd }, stage) {
      yield used(750);
      yield used(751);
      yield used(800);
      handOver(stage, cwd);
      yield finished;
    },
  });
  const message = "it handed over when 75 % of the 1000 tokens of its context were used";
  expect([heard, ends, outcome]).toEqual([
    [handOverText(false)],
    [
      { reason: "unfinished", because: "context", message, account: undefined },
      { reason: "finished", message: "done", account: undefined },
    ],
    ["completed", 1],
  ]);
  expect(briefs[1]).toMatch(
    /context was nearly full[\s\S]*\[RESUMED STATE\]|\[RESUMED STATE\][\s\S]*context was nearly full/,
  );
});

test("I6: one that was asked and says that it is done, without a word for others, is judged", async () => {
  const { heard, ends, outcome } = await live({
    async *first() {
      yield used(899);
      yield finished;
    },
  });
  expect([heard.length, ends.map(({ reason }) => reason), outcome]).toEqual([1, ["finished"], ["completed", 1]]);
});

test("I6: what an agent hands over without being asked changes nothing about its end", async () => {
  const { heard, ends } = await live({
    async *first({ cwd }, stage) {
      yield used(750);
      handOver(stage, cwd);
      yield finished;
    },
  });
  expect([heard, ends.map(({ reason }) => reason)]).toEqual([[], ["finished"]]);
});

test("I6: an agent that goes on until there is no room is ended, is charged nothing, and another one goes on", async () => {
  const { ends, briefs, outcome } = await live({
    async *first(_request, _stage, signal) {
      for (let tokens = 800; !signal.aborted; tokens += 50) {
        if (tokens > 2_000) throw new Error("nobody stopped it");
        yield used(tokens);
      }
      yield { type: "ended", end: { reason: "interrupted" } };
    },
  });
  const message = "it was ended when 95 % of the 1000 tokens of its context were used";
  expect([ends[0], ends.length, outcome]).toEqual([
    { reason: "unfinished", because: "context", message, account: undefined },
    2,
    ["completed", 1],
  ]);
  expect(briefs[1]).toContain("context was nearly full");
});
