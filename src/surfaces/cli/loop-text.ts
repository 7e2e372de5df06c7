// What a loop shows before it starts and after it has ended.
import type { AgentChoice, AgentFacts, SandboxChoice } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Verdict } from "../../protocol/gate.ts";
import { shortCommit } from "../../protocol/ids.ts";
import type { Loop } from "../../protocol/task.ts";
import { phasesText } from "./loop-phases.ts";
import { agentText, sandboxText, someOf, subscriptionText, uncommittedText } from "./run-text.ts";

/** A command, and where it comes from. */
export interface Named {
  readonly command: string;
  readonly from: string;
}

export interface StartScreen {
  readonly objective: string;
  readonly agent: AgentChoice;
  readonly how: string;
  readonly facts: AgentFacts;
  readonly sandbox: SandboxChoice;
  readonly branch: string;
  readonly loop: Loop;
  /** Files that the work must hold. */
  readonly outputs: readonly string[];
  /** Null: nothing checks the work. */
  readonly validation: Named | null;
  readonly setup: Named | null;
  /** Null: it was not tried. */
  readonly baseline: Verdict | null;
  readonly uncommitted: readonly string[];
  /** They are part of the work, which is done where they are. */
  readonly withChanges: boolean;
  /** Of its budget; empty: none. */
  readonly caps: string;
  readonly notes: readonly string[];
}

const named = ({ command, from }: Named): string => `${oneLine(command)} (${from})`;

export function startText(screen: StartScreen): string {
  const { objective, sandbox, branch, loop, outputs, validation, setup, baseline, notes } = screen;
  return [
    `task     ${oneLine(objective, 300)}`,
    `agent    ${oneLine(agentText(screen))}`,
    `sandbox  ${sandboxText(sandbox)}`,
    screen.withChanges
      ? "branch   the one that is checked out; the work is done in this checkout itself"
      : `branch   ${branch}; your checkout is not touched`,
    ...(setup === null ? [] : [`set-up   ${named(setup)}`]),
    ...(loop.phases === undefined ? [] : [`phases   ${phasesText(loop.phases)}`]),
    ...(outputs.length === 0 ? [] : [`outputs  ${oneLine(outputs.join(", "), 300)}`]),
    validation === null
      ? outputs.length + (loop.phases ?? []).length === 0
        ? "check    none: it is done when its agent says so, UNVERIFIED; --validate names a command that checks it"
        : "check    none but these"
      : `check    ${named(validation)}`,
    ...(baseline === null ? [] : [baselineText(baseline)]),
    `limits   ${loop.maxIterations} ${loop.maxIterations === 1 ? "iteration" : "iterations"}${screen.caps === "" ? "" : `, ${screen.caps}`}; ends with the promise ${oneLine(loop.promise)}${validation === null ? "" : ", if the check passes"}`,
    ...changesText(screen),
    ...subscriptionText(screen.facts),
    ...notes.map((note) => `note     ${oneLine(note)}`),
  ].join("\n");
}

function changesText({ uncommitted, withChanges }: StartScreen): readonly string[] {
  if (uncommitted.length === 0) return [];
  if (!withChanges) return [uncommittedText(uncommitted, ", or --with-changes")];
  const become = uncommitted.length === 1 ? "file becomes" : "files become";
  return [`note     ${uncommitted.length} uncommitted ${become} part of the work: ${someOf(uncommitted)}`];
}

/** A check that passes already cannot tell whether the work was done. */
function baselineText(baseline: Verdict): string {
  if (baseline.verdict === "pass")
    return "         it passes now: it can tell that nothing broke, not that the task is done";
  const why = oneLine(baseline.failure.message);
  if (baseline.verdict === "unable") return `         it cannot be judged now: ${why}`;
  const lines = (baseline.failure.evidence ?? "").trimEnd().split("\n").slice(-5);
  return [
    `         it is RED before anything is done: ${why}`,
    ...lines.map((line) => `         | ${oneLine(line)}`),
  ].join("\n");
}

export interface EndScreen {
  readonly title: string;
  readonly status: string;
  readonly iterations: number;
  /** What a person types to go on with it. */
  readonly goOn: string;
  /** Empty: not known. */
  readonly cost: string;
  readonly commit: string | null;
  /** Empty: there is no command. */
  readonly check: string;
  readonly unverified: boolean;
  /** As git counts them. */
  readonly changes: readonly string[];
}

export function endScreenText(screen: EndScreen): string {
  const { title, status, iterations, goOn, cost, commit, check, unverified, changes } = screen;
  const counted = `${iterations} ${iterations === 1 ? "iteration" : "iterations"}${cost === "" ? "" : `, ${cost}`}`;
  if (status !== "completed")
    return `not done ${oneLine(title, 300)} (${counted})\n         the work so far is kept: ${goOn} goes on with it`;
  return [
    `done     ${oneLine(title, 300)} (${counted})`,
    unverified
      ? "proof    NONE: nothing checked it, there is its agent's word alone"
      : `proof    ${check === "" ? "what it had to leave" : oneLine(check)} passed on a clean checkout of ${shortCommit(commit ?? "")}`,
    ...changes.map((line, at) => `${at === 0 ? "changes " : "        "} ${oneLine(line)}`),
  ].join("\n");
}

export const endKeys = (isDone: boolean): string =>
  isDone
    ? "[a] accept   [l] look   [c] continue   [d] drop   [Enter] leave it for later"
    : "[c] continue   [Enter] leave it for later";
