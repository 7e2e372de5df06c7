// All that a candidate has to pass before it is merged, cheapest first (rule G1).
import { oneLine } from "../kit/escape.ts";
import type { Which } from "../protocol/effect.ts";
import type { GateSpec } from "../protocol/gate.ts";
import type { ReadonlyTask } from "./state.ts";

export interface Check {
  readonly which: Which;
  readonly gate: GateSpec;
}

/** As the task had it when it was claimed: nothing changes a task that is in progress. */
export function checksOf({ spec }: ReadonlyTask): readonly Check[] {
  const { validation, outputs = [] } = spec;
  if (validation === null) throw new Error(`${spec.id} was claimed without a validation`);
  const { command, quick, timeoutMs } = validation;
  return [
    ...(outputs.length === 0 ? [] : [{ which: "artifacts", gate: artifactsGate(outputs) } as const]),
    ...(quick === null ? [] : [{ which: "quick", gate: commandGate(quick, timeoutMs) } as const]),
    { which: "full", gate: commandGate(command, timeoutMs) },
  ];
}

const artifactsGate = (outputs: readonly string[]): GateSpec => ({
  use: "artifacts",
  options: { outputs: [...outputs] },
});

export const commandGate = (command: string, timeoutMs: number): GateSpec => ({
  use: "command",
  options: { command, timeoutMs },
});

/** For whoever has to write them. */
export const outputsText = (outputs: readonly string[]): string =>
  outputs.length === 0
    ? ""
    : `These files must be there, not empty, and be what their names say; git must not ignore them:\n\n${outputs.map((output) => `    ${oneLine(output)}`).join("\n")}`;
