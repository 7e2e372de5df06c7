// Claude Code as an agent: its own login, settings, memory and tools, read through its stream of events.
import { stoppable } from "../../kit/stoppable.ts";
import { defineDriver } from "../driver.ts";
import { check } from "./check.ts";
import { Options, ownVariables } from "./options.ts";
import { runIteration } from "./run.ts";
import { readTranscript } from "./transcript.ts";

export const claudeCode = defineDriver({
  name: "claude-code",
  options: Options,
  // To read: what an agent could write there – hooks, commands, servers, memory – would act in the user's own sessions,
  // outside of any sandbox. But for the login, which is lost when a renewed token cannot be kept.
  home: [
    { path: ".claude", access: "read" },
    { path: ".claude/.credentials.json", access: "write" },
    { path: ".claude.json", access: "read" },
    // Where its own installer puts it.
    { path: ".local/bin/claude", access: "read" },
    { path: ".local/share/claude", access: "read" },
  ],
  takesModel: true,
  describe: ({ binary, fallbackModel, permissionMode, maxBudgetUsd, ...usual }, chosen) => {
    const { model, effort } = { ...usual, ...chosen };
    return [
      binary,
      ...(model === undefined ? [] : [`model ${model}`]),
      ...(fallbackModel === undefined ? [] : [`else ${fallbackModel}`]),
      ...(effort === undefined ? [] : [`effort ${effort}`]),
      permissionMode === "bypassPermissions" ? "does all it wants without asking" : `permissions ${permissionMode}`,
      ...(maxBudgetUsd === undefined ? [] : [`at most $${maxBudgetUsd} each time`]),
    ].join(", ");
  },
  program: ({ binary }) => binary,
  env: (options) => [...ownVariables, ...options.env],
  check,
  transcript: readTranscript,
  create: (options) => ({
    offersTools: true,
    sumsUp: true,
    run: (request, signal) => stoppable(signal, (stop) => runIteration(options, request, stop)),
  }),
});
