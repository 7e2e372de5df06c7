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
  product: (check) => [
    {
      name: "architecture",
      prefix:
        "Write down how it is to be built in notes/architecture.md: parts, what each is for, how they speak with each other, what is decided and why. Change nothing else yet.",
      gate: { outputs: ["notes/architecture.md"] },
    },
    {
      name: "uiux",
      prefix:
        "Read notes/architecture.md. Write down in notes/interface.md what people see and do – screens, commands, messages, also where something goes wrong. Change nothing else yet.",
      gate: { outputs: ["notes/interface.md"] },
    },
    {
      name: "engineering",
      prefix: "Read notes/architecture.md and notes/interface.md. Build it, tests first.",
      gate: { command: check },
    },
    {
      name: "qa",
      prefix:
        "It is built, perhaps not well. Use it as notes/interface.md says, try to break it, mend what is wrong, and write what you tried and what came of it into notes/qa.md.",
      gate: { outputs: ["notes/qa.md"] },
    },
  ],
};
const isPreset = (name: unknown): name is PhasesPreset => typeof name === "string" && Object.hasOwn(presets, name);

export function phasesFor(
  flag: string | undefined,
  { phases: configured }: Pick<Config, "phases">,
  check: string | undefined,
): Outcome<LoopPhases | undefined> {
  if (flag === "off" || (flag === undefined && configured === undefined)) return succeeded(undefined);
  const preset = isPreset(flag) ? flag : Array.isArray(configured) ? undefined : (configured ?? "standard");
  if (check === undefined && preset !== undefined) return failed(noCheck(preset));
  const known = preset === undefined ? (configured as LoopPhases) : presets[preset](check ?? "");
  if (flag === undefined || isPreset(flag)) return succeeded(known);
  const names = flag.split(",").map((name) => name.trim());
  const chosen = names.map((name) => known.find((phase) => phase.name === name));
  const missing = names[chosen.indexOf(undefined)];
  if (missing === undefined && new Set(names).size === names.length) return succeeded(chosen as LoopPhase[]);
  return failed({
    kind: "usage",
    message: missing === undefined ? "--phases names a phase twice" : `there is no phase "${missing}"`,
    remedy: `--phases off, ${Object.keys(presets).join(", ")}, or some of: ${known.map(({ name }) => name).join(",")}`,
  });
}

const noCheck = (preset: PhasesPreset): Failure => ({
  kind: "usage",
  message: `the ${preset} phases need a command that checks the work`,
  remedy: '--validate "command that checks it", or --phases off',
});

export const phasesText = (phases: readonly LoopPhase[]): string => phases.map(({ name }) => name).join(" → ");
