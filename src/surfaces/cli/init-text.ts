// What `harness init` says about the project it found.
import type { Adopted, Initialised } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Detected } from "../../runtime/detect/candidate.ts";
import type { Proposed, SetupProposal } from "../../runtime/detect/propose-setup.ts";

/** The likeliest command that judges work from a clean checkout, or from one that is set up; or null. */
export function proposedValidation({ candidates }: Detected, isSetUp = false): string | null {
  const best = candidates.find(({ validation }) => validation !== null);
  if (best === undefined) return null;
  return [isSetUp ? null : best.setup, best.validation].filter((part) => part !== null).join(" && ");
}

/** A set-up in one line. */
export function setupText({ command, inputs, share }: SetupProposal): string {
  const parts = [
    command ?? "no command",
    ...(command === null ? [] : [`again when ${inputs.join(", ")} changes`]),
    ...(share.length === 0 ? [] : [`with your ${share.join(", ")}`]),
  ];
  return oneLine(parts.join("; "));
}

export function initText(
  { project, branch, adopted }: Initialised,
  detected: Detected,
  { proposed, taken }: { readonly proposed: Proposed | null; readonly taken: boolean },
): string {
  const setup = proposed?.setup ?? null;
  const validation = proposedValidation(detected, taken && setup?.command != null);
  return [
    `${project.root} is a Harness project now`,
    `  branch      ${branch} (finished work; your own branches stay as they are)`,
    `  state       ${project.home}`,
    ...detected.candidates.slice(0, 3).map(({ kind, why }) => `  found       ${oneLine(`${kind}: ${why}`)}`),
    ...(setup === null ? [] : [`  set-up      ${setupText(setup)} (proposed: ${oneLine(proposed?.why ?? "")})`]),
    ...(proposed?.notices ?? []).map((notice) => `  note        ${oneLine(notice)}`),
    ...(validation === null ? [] : [`  validation  ${oneLine(validation)} (proposed)`]),
    ...(adopted === null ? [] : adoptedLines(adopted)),
    `  next        ${nextStep(validation, adopted)}`,
  ].join("\n");
}

function adoptedLines({ source, tasks, warnings }: Adopted): readonly string[] {
  return [
    `  adopted     ${tasks === 1 ? "1 task" : `${tasks} tasks`} of ${source}`,
    ...warnings.map((warning) => `  warning     ${oneLine(warning)}`),
    "  trust       commands that came with it run only once you accepted them: harness run --trust HASH",
  ];
}

/** A run without trust shows the commands and their hash. */
function nextStep(validation: string | null, adopted: Initialised["adopted"]): string {
  if (adopted !== null && adopted.tasks > 0)
    return "harness run --agent-command 'your-agent …' shows them and the hash";
  return `harness add "what to do" --validate "${oneLine(validation ?? "command that checks it")}"`;
}
