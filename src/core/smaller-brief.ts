// A brief that did not fit is made smaller, step by step, before the attempt is given up (rule E).

export interface BriefPart {
  readonly name: string;
  readonly text: string;
}

/** How often it is halved. */
export const mostSteps = 3;

/** Without these nobody could do the task; the description is cut only in the last step. */
const whole: ReadonlySet<string> = new Set(["task", "check", "promise"]);
/** Shorter parts are left as they are: a heading and a line. */
const leastPart = 200;

/** Each part of what earlier work left is halved with each step. */
export function smaller(parts: readonly BriefPart[], overflows: number): readonly BriefPart[] {
  const steps = Math.min(overflows, mostSteps);
  if (steps === 0) return parts;
  return parts.map(({ name, text }) => {
    const stays = whole.has(name) || (name === "description" && steps < mostSteps);
    const cap = Math.max(leastPart, Math.floor(text.length / 2 ** steps));
    if (stays || text.length <= cap) return { name, text };
    return { name, text: `${text.slice(0, cap)}\n… ${text.length - cap} characters left out, to make this shorter …` };
  });
}
