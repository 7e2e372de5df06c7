// Which phases a loop goes through: as --phases says, else as configured (rule I8). They are kept with its task, so that
// nothing which is configured later changes a loop that was started.
import type { Config } from "../../protocol/config.ts";
import { type Failure, failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { LoopPhase, LoopPhases, PhasesPreset } from "../../protocol/phases.ts";

/** `check` is the command that judges the whole. */
const presets: Record<PhasesPreset, (check: string) => LoopPhases> = {
  standard: (check) => [
    {
      name: "plan",
      prefix:
        "Look at what is there, and write a plan into notes/plan.md: steps, files, risks. Change nothing else yet.",
      gate: { outputs: ["notes/plan.md"] },
    },
    {
      name: "research",
      prefix:
        "Read notes/plan.md. Find out what the plan needs to know, and write it, with where you found it, into notes/research.md. Change nothing else yet.",
      gate: { outputs: ["notes/research.md"] },
    },
    {
      name: "build",
      prefix: "Read notes/plan.md and notes/research.md. Do the work.",
      gate: { command: check },
    },
    {
      name: "verify",
      prefix:
        "The work is done, perhaps not well. Go through it against the objective as a stranger would, mend what is wrong, and write what you checked and how into notes/verification.md.",
      gate: { outputs: ["notes/verification.md"] },
    },
  ],
};

export function phasesFor(
  flag: string | undefined,
  { phases: configured }: Pick<Config, "phases">,
  check: string | undefined,
): Outcome<LoopPhases | undefined> {
  if (flag === "off" || (flag === undefined && configured === undefined)) return succeeded(undefined);
  if (check === undefined && (flag === "standard" || !Array.isArray(configured))) return failed(noCheck);
  const known = Array.isArray(configured) ? configured : presets.standard(check ?? "");
  if (flag === undefined) return succeeded(known);
  if (flag === "standard") return succeeded(presets.standard(check ?? ""));
  const names = flag.split(",").map((name) => name.trim());
  const chosen = names.map((name) => known.find((phase) => phase.name === name));
  const missing = names[chosen.indexOf(undefined)];
  if (missing === undefined && new Set(names).size === names.length) return succeeded(chosen as LoopPhase[]);
  return failed({
    kind: "usage",
    message: missing === undefined ? "--phases names a phase twice" : `there is no phase "${missing}"`,
    remedy: `--phases off, standard, or some of: ${known.map(({ name }) => name).join(",")}`,
  });
}

const noCheck: Failure = {
  kind: "usage",
  message: "the standard phases need a command that checks the work",
  remedy: '--validate "command that checks it", or --phases off',
};

export const phasesText = (phases: readonly LoopPhase[]): string => phases.map(({ name }) => name).join(" → ");
