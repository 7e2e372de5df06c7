// Which agent a run uses, from its flags.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentChoice } from "../../compose.ts";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";

export interface AgentFlags {
  readonly agent?: "claude-code" | "command" | "scripted";
  readonly agentCommand?: string;
  readonly agentScript?: string;
}

/** A flag that only one agent understands is enough to choose that agent. Null: no flag says anything. */
export function chooseAgent(flags: AgentFlags, cwd: string): Outcome<AgentChoice | null> {
  const { agentCommand: command, agentScript: script } = flags;
  const use = flags.agent ?? (command !== undefined ? "command" : script !== undefined ? "scripted" : undefined);
  switch (use) {
    case undefined:
      return succeeded(null);
    case "claude-code":
      if (command !== undefined || script !== undefined)
        return refused("--agent-command and --agent-script belong to other agents", "leave them out");
      return succeeded({ use, options: {} });
    case "command":
      if (script !== undefined)
        return refused("--agent-script belongs to --agent scripted", "leave one of the two out");
      if (command === undefined || command.trim() === "") {
        return refused("the agent's command is missing", "harness run --agent-command 'your-agent …'");
      }
      return succeeded({ use, options: { command } });
    case "scripted":
      if (command !== undefined)
        return refused("--agent-command belongs to --agent command", "leave one of the two out");
      if (script === undefined) return refused("the agent's script is missing", "harness run --agent-script FILE");
      if (!existsSync(resolve(cwd, script))) return refused(`there is no file ${script}`, "check --agent-script");
      return succeeded({ use, options: { script: resolve(cwd, script) } });
  }
}

export const noAgent = {
  kind: "usage",
  message: "no agent was chosen",
  remedy: "harness run --agent-command 'your-agent …'",
} as const;

const refused = (message: string, remedy: string): Outcome<never> => failed({ kind: "usage", message, remedy });
