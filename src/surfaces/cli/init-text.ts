// What `harness init` says about the project it found.
import type { Adopted, Initialised } from "../../compose.ts";
import { oneLine } from "../../kit/escape.ts";
import type { Detected } from "../../runtime/detect/candidate.ts";

/** The likeliest command that judges work from a clean checkout, or null. */
export function proposedValidation({ candidates }: Detected): string | null {
  const best = candidates.find(({ validation }) => validation !== null);
  if (best === undefined) return null;
  return [best.setup, best.validation].filter((part) => part !== null).join(" && ");
}

export function initText({ project, branch, adopted }: Initialised, detected: Detected): string {
  const validation = proposedValidation(detected);
  return [
    `${project.root} is a Harness project now`,
    `  branch      ${branch} (finished work; your own branches stay as they are)`,
    `  state       ${project.home}`,
    ...detected.candidates.slice(0, 3).map(({ kind, why }) => `  found       ${oneLine(`${kind}: ${why}`)}`),
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
