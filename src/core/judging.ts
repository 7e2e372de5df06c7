// All that a candidate has to pass before its work goes on or is merged, cheapest first (rules G1, I8).
import { oneLine } from "../kit/escape.ts";
import type { Which } from "../protocol/effect.ts";
import type { GateSpec } from "../protocol/gate.ts";
import type { LoopPhase } from "../protocol/phases.ts";
import type { DeepReadonly } from "./deep-readonly.ts";
import type { ReadonlyTask } from "./state.ts";

export interface Check {
  readonly gate: GateSpec;
  readonly which: Which;
  readonly phase?: string;
}

type Phase = DeepReadonly<LoopPhase>;
type Spec = ReadonlyTask["spec"];
/** Of the commands of phases, where the task has none that says it. */
const usualTimeoutMs = 300_000;

export interface PresentPhase {
  readonly phase: Phase;
  /** From 1. */
  readonly number: number;
  readonly of: number;
}

/** The phase that a loop is in; null: it has none. */
export function phaseOf({ spec, phasesPassed }: ReadonlyTask): PresentPhase | null {
  const phases = spec.loop?.phases ?? [];
  const phase = phases[phasesPassed];
  return phase === undefined ? null : { phase, number: phasesPassed + 1, of: phases.length };
}

/** A loop may end by its agent's word alone (I2); whatever else is worked on has something that judges it. */
export const lacksJudge = ({ validation, loop }: Pick<Spec, "validation" | "loop">): boolean =>
  validation === null && loop === undefined;

/** Nothing but its agent's word tells that it is done: whoever reads of it must be told so. */
export const isUnverified = ({
  validation,
  outputs = [],
  loop,
}: Pick<Spec, "validation" | "outputs" | "loop">): boolean =>
  validation === null && outputs.length === 0 && loop !== undefined && (loop.phases ?? []).length === 0;

export const isBeforeLast = (present: PresentPhase | null): present is PresentPhase =>
  present !== null && present.number < present.of;

/**
 * As the task had it when it was claimed: nothing changes a task that is in progress. Before its last phase only that
 * phase's gate counts. `atOnce`: who goes through no phases – an outside worker – has to pass all that are left.
 */
export function checksOf(task: ReadonlyTask, atOnce: boolean): readonly Check[] {
  const { spec, phasesPassed } = task;
  const { validation, outputs = [] } = spec;
  if (lacksJudge(spec)) throw new Error(`${spec.id} was claimed without a validation`);
  const timeoutMs = validation?.timeoutMs ?? usualTimeoutMs;
  const present = phaseOf(task);
  const left = atOnce ? (spec.loop?.phases ?? []).slice(phasesPassed) : present === null ? [] : [present.phase];
  const ofPhases = left.flatMap((phase) => checksOfPhase(phase, timeoutMs));
  if (isBeforeLast(present) && !atOnce) return ofPhases;
  return [
    ...ofPhases,
    ...(outputs.length === 0 ? [] : [{ gate: artifactsGate(outputs), which: "artifacts" } as const]),
    ...(validation === null ? [] : checksBy(validation)),
  ];
}

const checksBy = ({ command, quick, timeoutMs }: NonNullable<Spec["validation"]>): readonly Check[] => [
  ...(quick === null ? [] : [{ gate: commandGate(quick, timeoutMs), which: "quick" } as const]),
  { gate: commandGate(command, timeoutMs), which: "full" },
];

const checksOfPhase = ({ name: phase, gate: { outputs, command } }: Phase, timeoutMs: number): readonly Check[] => [
  ...(outputs === undefined ? [] : [{ gate: artifactsGate(outputs), which: "phase-artifacts", phase } as const]),
  ...(command === undefined ? [] : [{ gate: commandGate(command, timeoutMs), which: "phase-command", phase } as const]),
];

const artifactsGate = (outputs: readonly string[]): GateSpec => ({
  use: "artifacts",
  options: { outputs: [...outputs] },
});

export const commandGate = (command: string, timeoutMs: number): GateSpec => ({
  use: "command",
  options: { command, timeoutMs },
});

/** For whoever is judged by them: files, then a command. Empty: there is neither. */
export function waysText(outputs: readonly string[] = [], command?: string): string {
  const files = `These files must be there, not empty, and be what their names say; git must not ignore them:\n\n${outputs.map((output) => `    ${oneLine(output)}`).join("\n")}`;
  return [...(outputs.length === 0 ? [] : [files]), ...(command === undefined ? [] : [`    ${command}`])].join(
    "\n\nThen by:\n\n",
  );
}
