// What can be said of a loop on the command line.
import type { SandboxMode } from "../../protocol/sandbox.ts";
import type { AgentFlags } from "./agent-choice.ts";
import type { Background } from "./background.ts";

export interface LoopOptions extends AgentFlags, Background {
  readonly file?: string;
  readonly maxIterations?: number;
  readonly completionPromise?: string;
  readonly validate?: string;
  readonly timeout?: number;
  readonly phases?: string;
  readonly output?: readonly string[];
  readonly agentEnv?: readonly string[];
  readonly sandbox?: SandboxMode;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  readonly maxMinutes?: number;
  readonly resume?: true;
  readonly runId?: string;
  readonly yes?: true;
  readonly withChanges?: true;
}
