// The door of the journal: secrets are taken out of everything that is told to the core, before it is decided on and
// chained. What the journal never held no view can show; and nothing is taken out of it afterwards.

/** Fields that hold words of people and programs. Below `extra` everything is somebody else's, and is read as words. */
export const textFields: ReadonlySet<string> = new Set([
  ..."by commits completed criticalFiles description detail errorLog evidence extra field handoff message model next nextStep note".split(
    " ",
  ),
  ..."notes prefix question remedy subject summary text title version warnings what why".split(" "),
]);
/**
 * Fields that are relied on as they are: names, places, hashes, and commands, which are run as they were accepted. Where
 * they are shown, secrets are taken out then. A new field of an event is in one of the two lists (clean-input.test.ts).
 */
export const dataFields: ReadonlySet<string> = new Set([
  ..."action added agent archive base bootId branch cleanup command commit dependsOn gate hash host id input kept mission name".split(
    " ",
  ),
  ..."outputs parent path phase phases project promise quick reason root row run sandbox source startTime startedAtCommit task tasks theirs".split(
    " ",
  ),
  ..."tree use worker".split(" "),
]);

/** The shortest limit of a text field; beyond it no text may grow, or it could not be read again. */
const mayGrowTo = 400;

/** Also for a refusal, which quotes what was asked and changes nothing. */
export function cleanInput<T>(asked: T, redact: (text: string) => string): T {
  const clean = (value: unknown, isText: boolean): unknown => {
    if (typeof value === "string") return isText ? fitting(value, redact(value)) : value;
    if (Array.isArray(value)) return value.map((each) => clean(each, isText));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, clean(each, isText || textFields.has(name))]),
    );
  };
  return clean(asked, false) as T;
}

const fitting = (was: string, is: string): string =>
  is.length > was.length && is.length > mayGrowTo ? is.slice(0, Math.max(was.length, mayGrowTo)) : is;
