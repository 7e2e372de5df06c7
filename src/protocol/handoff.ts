// What an agent leaves for whoever goes on with its task in an empty context (rule I5), and how its file is read: each
// key for itself, because a key that is missing or wrong must not cost the others.
import * as z from "zod";
import { fieldPath, parseStrictJson } from "./strict-json.ts";

export const Handoff = z.object({
  phase: z.string(),
  completed: z.array(z.string()),
  nextStep: z.string(),
  criticalFiles: z.array(z.string()),
  notes: z.string(),
});
export type Handoff = z.infer<typeof Handoff>;

/** Of each text in characters, of each list in entries; more is cut. */
const longest = { phase: 200, completed: 500, nextStep: 2_000, criticalFiles: 300, notes: 8_000, entries: 50 };

const Words = z.union([z.string(), z.array(z.string())]);

/** `state/handoff.json`, as an agent writes it. Every key may be left out; others are passed over. */
export const HandoffFile = z.looseObject({
  phase: z.string().nullish(),
  completed: Words.nullish(),
  next_step: Words.nullish(),
  critical_files: Words.nullish(),
  memory_notes: Words.nullish(),
});

export interface ReadHandoff {
  /** Null when nothing of it can be used. */
  readonly handoff: Handoff | null;
  /** What was wrong, in a few words each. */
  readonly problems: readonly string[];
}

/** Never throws, whatever the text is. */
export function readHandoff(text: string): ReadHandoff {
  const parsed = parseStrictJson(text, "state/handoff.json");
  if (!parsed.ok)
    return { handoff: null, problems: [parsed.failure.message.replace(/^state\/handoff\.json:/, "line ")] };
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { handoff: null, problems: ["it is no JSON object"] };
  const problems: string[] = [];
  const given = value as Readonly<Record<string, unknown>>;
  const words = (key: keyof typeof HandoffFile.shape): readonly string[] => {
    const read = HandoffFile.shape[key].safeParse(given[key]);
    if (read.success) return read.data == null ? [] : [read.data].flat();
    problems.push(`${fieldPath([key])} must be ${key === "phase" ? "a text" : "a text or a list of texts"}`);
    return [];
  };
  const oneText = (key: keyof typeof HandoffFile.shape, most: number): string => {
    const whole = words(key).join("\n").trim();
    if (whole.length > most) problems.push(`${key} is longer than ${most} characters: cut`);
    return cut(whole, most);
  };
  const list = (key: keyof typeof HandoffFile.shape, most: number): string[] => {
    const all = words(key).map((each) => each.trim());
    const filled = all.filter((each) => each !== "");
    if (filled.length > longest.entries || filled.some((each) => each.length > most))
      problems.push(`${key} holds more than ${longest.entries} entries of ${most} characters: cut`);
    return filled.slice(0, longest.entries).map((each) => cut(each, most));
  };
  const handoff: Handoff = {
    phase: oneText("phase", longest.phase),
    completed: list("completed", longest.completed),
    nextStep: oneText("next_step", longest.nextStep),
    criticalFiles: list("critical_files", longest.criticalFiles),
    notes: oneText("memory_notes", longest.notes),
  };
  if (Object.values(handoff).some((each) => each.length > 0)) return { handoff, problems };
  const keys = Object.keys(HandoffFile.shape).join(", ");
  return { handoff: null, problems: problems.length > 0 ? problems : [`none of its keys is filled: ${keys}`] };
}

/** Never half a character. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, "");

/** The same keys again, for the views. */
export const handoffFields = ({ phase, completed, nextStep, criticalFiles, notes }: Readonly<Handoff>) => ({
  phase,
  completed,
  next_step: nextStep,
  critical_files: criticalFiles,
  memory_notes: notes,
});
