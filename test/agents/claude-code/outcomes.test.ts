// Every way Claude Code is known to end, brought about for real. HARNESS_RECORD=1 keeps the streams for the unit tests.
import { existsSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { outcomes } from "../../../src/drivers/claude-code/outcomes.fixture.ts";
import { recordingOf } from "./recording.ts";
import { type Play, play, strike } from "./stage.ts";

const login = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "dummy" };

const plays: Readonly<Record<keyof typeof outcomes, Omit<Play, "scenario"> & { readonly scenario?: string }>> = {
  works: {},
  subagent: {},
  "rate-limited-once": {},
  background: {},
  unauthorised: {},
  forbidden: {},
  "not-logged-in": { scenario: "greeting", env: { ANTHROPIC_API_KEY: "" } },
  "rate-limited": {},
  "usage-limit": { env: login },
  "usage-limit-of-a-key": { scenario: "usage-limit" },
  "no-credit": {},
  "server-error": {},
  overloaded: {},
  "overloaded-in-stream": {},
  "prompt-too-long": {},
  dropped: {},
  cut: {},
  "output-limit": {},
  refusal: {},
  "turns-used-up": { scenario: "loop", options: { args: ["--max-turns", "2"] } },
  "budget-used-up": { scenario: "loop", options: { maxBudgetUsd: 1 } },
  denied: { scenario: "works", options: { permissionMode: "dontAsk" } },
  // Before its tool runs it ends without a word.
  interrupted: {
    onEvent: (event, pid, workspace) =>
      event.type === "said" && onceThere(join(workspace, "hangs"), () => process.kill(pid, "SIGINT")),
  },
};

function onceThere(file: string, act: () => void): void {
  const watcher = watch(dirname(file));
  const look = () => {
    if (!existsSync(file)) return;
    watcher.close();
    act();
  };
  watcher.on("change", look);
  look();
}

afterEach(strike);

test.for(Object.keys(plays) as (keyof typeof plays)[])("E: %s is told for what it is", async (name) => {
  const { end, stream } = await play({ scenario: name, ...plays[name] });
  if (process.env.HARNESS_RECORD === "1") {
    const folder = join(import.meta.dirname, "../../../src/drivers/claude-code/recordings");
    writeFileSync(join(folder, `${name}.ndjson`), recordingOf(stream));
  }
  expect(end).toEqual(outcomes[name].end);
});
