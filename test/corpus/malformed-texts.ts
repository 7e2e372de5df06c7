// Texts that are no JSON, or JSON that does not mean one thing only.
import type { Expectation, MalformedText } from "./malformation.ts";

const small = {
  version: 2,
  created: "2026-01-05T09:00:00.000Z",
  session_config: { concurrency_mode: "exclusive", max_tasks_per_session: 20, max_sessions: 50 },
  tasks: [
    {
      id: "task-001",
      title: "Grüße 😀",
      status: "pending",
      attempts: 0,
      validation: { command: "true", timeout_seconds: 5 },
    },
  ],
  session_count: 1.5e1,
  last_session: null,
};
export const smallFile = `${JSON.stringify(small)}\n`;

const given = (name: string, text: string, expects: Expectation, says: string): MalformedText => ({
  name,
  text: () => text,
  expects,
  says,
});
const built = (name: string, text: () => string, expects: Expectation, says: string): MalformedText => ({
  name,
  text,
  expects,
  says,
});
/** The small file with more members before all others. */
const withMember = (members: string): string => smallFile.replace("{", `{${members},`);

export function wrongTexts(): MalformedText[] {
  return [...truncated(), ...damaged(), ...ambiguous(), ...numbers(), ...strings(), ...large()];
}

/** At every byte, also inside characters. Without the last newline it is still whole. */
function truncated(): MalformedText[] {
  const bytes = Buffer.from(smallFile);
  return Array.from({ length: bytes.length }, (_, length) => {
    const whole = length === bytes.length - 1;
    const says = length === 0 ? "the file is empty" : whole ? "" : "harness-tasks.json:1:";
    return built(
      `cut after ${length} bytes`,
      () => bytes.subarray(0, length).toString("utf8"),
      whole ? "accept" : "repair",
      says,
    );
  });
}

const damaged = (): MalformedText[] => [
  given("one space", " ", "repair", "the file is empty"),
  given("one newline", "\n", "repair", "the file is empty"),
  given("a page of blanks", " \t\r\n".repeat(1_000), "repair", "the file is empty"),
  given("one NUL", "\0", "repair", "NUL"),
  given("all NULs", "\0".repeat(4_096), "repair", "NUL"),
  given("NULs after the end", `${smallFile}${"\0".repeat(512)}`, "repair", "NUL"),
  given("NULs in the middle", smallFile.replace("pending", "pen\0\0ing"), "repair", "NUL"),
  given("first half NULs", `${"\0".repeat(100)}${smallFile.slice(100)}`, "repair", "NUL"),
  given("two files one after the other", smallFile + smallFile, "repair", "more text after the end"),
  given("the tail of a longer file", `${smallFile}"}]}`, "repair", "more text after the end"),
  given("a word after the end", `${smallFile}x`, "repair", "more text after the end"),
  given("comma at the end of an object", smallFile.replace(/\}\n$/, ",}\n"), "repair", "a comma without anything"),
  given("comma at the end of a list", smallFile.replace("}]", "},]"), "repair", "a comma without anything"),
  given("two commas", smallFile.replace(",", ",,"), "repair", "a name in double quotes"),
  given("comma first", smallFile.replace("{", "{,"), "repair", "a name in double quotes"),
  given("only a comma in a list", '{"tasks":[,]}', "repair", "expected a value"),
  given("no comma", smallFile.replace(',"created"', ' "created"'), "repair", "expected a comma"),
  given("no colon", smallFile.replace('"version":', '"version"'), "repair", 'expected ":"'),
  given("equals for colon", smallFile.replace('"version":', '"version"='), "repair", 'expected ":"'),
  given("wrong closing bracket", smallFile.replace("}]", "}}"), "repair", "expected a comma"),
  given("one closing brace too many", `${smallFile}}`, "repair", "more text after the end"),
  given("single quotes", "{'version': 2}", "repair", "a name in double quotes"),
  given("bare names", "{version: 2}", "repair", "a name in double quotes"),
  given("a comment", `// plan\n${smallFile}`, "repair", "expected a value"),
  given("a block comment inside", smallFile.replace("{", "{/* plan */"), "repair", "a name in double quotes"),
  given("YAML", "version: 2\ntasks: []\n", "repair", "expected a value"),
  given("merge conflict marks", `<<<<<<< HEAD\n${smallFile}=======\n`, "repair", "expected a value"),
  given("HTML", "<!DOCTYPE html><html></html>", "repair", "expected a value"),
  given("shell text", "#!/bin/sh\nexit 0\n", "repair", "expected a value"),
  given("Python words", smallFile.replace("null", "None"), "repair", "expected a value"),
  given("undefined", smallFile.replace("null", "undefined"), "repair", "expected a value"),
  given("NaN", smallFile.replace("null", "NaN"), "repair", "expected a value"),
  given("Infinity", smallFile.replace("null", "Infinity"), "repair", "expected a value"),
  given("minus Infinity", smallFile.replace("null", "-Infinity"), "repair", "expected a value"),
  given("words in capitals", smallFile.replace("null", "NULL"), "repair", "expected a value"),
  given("half a word", smallFile.replace("null", "nul"), "repair", "expected a value"),
  given("word run together", smallFile.replace("null", "nullnull"), "repair", "expected a comma"),
  given("no-break space", smallFile.replace("{", "{\u00a0"), "repair", "a name in double quotes"),
  given("line separator between members", smallFile.replace(",", ",\u2028"), "repair", "a name in double quotes"),
  given("byte order mark inside", smallFile.replace(",", ",\ufeff"), "repair", "a name in double quotes"),
  given("form feed as blank", smallFile.replace("{", "{\f"), "repair", "a name in double quotes"),
  given("JSON lines", `${smallFile}{"version":2}\n`, "repair", "more text after the end"),
  given("record separator", `\u001e${smallFile}`, "repair", "expected a value"),
];

const ambiguous = (): MalformedText[] => [
  given("byte order mark", `\ufeff${smallFile}`, "refuse", "byte order mark"),
  given("only a byte order mark", "\ufeff", "refuse", "byte order mark"),
  given(
    "status twice",
    smallFile.replace('"status":', '"status":"completed","status":'),
    "refuse",
    '"status" stands twice in tasks[0]',
  ),
  given("tasks twice", withMember('"tasks":[]'), "refuse", '"tasks" stands twice'),
  given("version twice, alike", withMember('"version":2'), "refuse", '"version" stands twice'),
  given("twice by escape", withMember('"v\\u0065rsion":2'), "refuse", '"version" stands twice'),
  given("twice deep inside", withMember('"x":{"y":[{"z":1,"z":1}]}'), "refuse", '"z" stands twice in x.y[0]'),
  given("empty name twice", withMember('"":1,"":2'), "refuse", '"" stands twice'),
  given("many names twice", withMember(`${'"a":1,'.repeat(5_000)}"a":1`), "refuse", '"a" stands twice'),
  ...["__proto__", "constructor", "prototype"].flatMap((key) => [
    given(`${key} at the top`, withMember(`"${key}":{"status":"completed"}`), "refuse", `"${key}"`),
    given(`${key} in a task`, smallFile.replace('"id"', `"${key}":{},"id"`), "refuse", `"${key}" in tasks[0]`),
    given(`${key} deep inside`, withMember(`"x":[[{"${key}":null}]]`), "refuse", `"${key}" in x[0][0]`),
  ]),
  given("__proto__ by escape", withMember('"\\u005f_proto__":{}'), "refuse", '"__proto__"'),
  given("constructor.prototype", withMember('"constructor":{"prototype":{"a":1}}'), "refuse", '"constructor"'),
  given("toString as a name", withMember('"toString":1'), "accept", ""),
  given("hasOwnProperty as a name", withMember('"hasOwnProperty":1'), "accept", ""),
  given("CRLF", JSON.stringify(small, null, 2).replaceAll("\n", "\r\n"), "accept", ""),
  given("CR alone", JSON.stringify(small, null, 2).replaceAll("\n", "\r"), "accept", ""),
  given("tabs", JSON.stringify(small, null, "\t"), "accept", ""),
  given("blanks around", `\n\n ${smallFile} \n\n`, "accept", ""),
];

const numbers = (): MalformedText[] => [
  ...["1e400", "-1e400", "1E+999", "9007199254740992", "9007199254740993", "-9007199254740993", "1e16", "1e300"].map(
    (text) => given(`number ${text}`, withMember(`"x":${text}`), "refuse", "too large to be kept exactly"),
  ),
  given("attempts 1e400", smallFile.replace('"attempts":0', '"attempts":1e400'), "refuse", "tasks[0].attempts"),
  given(
    "attempts 2^53+1",
    smallFile.replace('"attempts":0', '"attempts":9007199254740993'),
    "refuse",
    "tasks[0].attempts",
  ),
  given("a thousand digits", withMember(`"x":${"1".repeat(1_000)}`), "refuse", "more than 400 characters"),
  built("a million digits", () => withMember(`"x":0.${"1".repeat(1_000_000)}`), "refuse", "more than 400 characters"),
  given("largest exact number", withMember('"x":9007199254740991'), "accept", ""),
  given("minus zero", withMember('"x":-0'), "accept", ""),
  given("smallest fraction", withMember('"x":5e-324'), "accept", ""),
  ...["01", "+1", ".5", "1.", "1e", "--1", "0x10", "1_000", "1,5", "-", "1e+", "1.e1", "00", "1-1", "１"].map((text) =>
    given(`number written ${text}`, withMember(`"x":${text}`), "repair", "harness-tasks.json:1:"),
  ),
];

const strings = (): MalformedText[] => [
  given("high half escaped", withMember('"x":"\\ud800"'), "refuse", "surrogate"),
  given("low half escaped", withMember('"x":"\\udc00"'), "refuse", "surrogate"),
  given("halves the wrong way round", withMember('"x":"\\udc00\\ud800"'), "refuse", "surrogate"),
  given("raw half", withMember('"x":"\ud800"'), "refuse", "surrogate"),
  given("half in a name", withMember('"\\ud800":1'), "refuse", "surrogate"),
  given("half in a title", smallFile.replace("Grüße", "\\udfff"), "refuse", "tasks[0].title"),
  given("whole pair escaped", withMember('"x":"\\ud83d\\ude00"'), "accept", ""),
  given("newline in a string", withMember('"x":"a\nb"'), "repair", "control character"),
  given("tab in a string", withMember('"x":"a\tb"'), "repair", "control character"),
  given("escape character in a string", withMember('"x":"\u001b[2J"'), "repair", "control character"),
  given("unknown escape", withMember('"x":"\\x41"'), "repair", "an escape that does not exist"),
  given("escape of a quote", withMember('"x":"\\\'"'), "repair", "an escape that does not exist"),
  given("short escape", withMember('"x":"\\u12"'), "repair", "an escape that does not exist"),
  given("escape without digits", withMember('"x":"\\uzzzz"'), "repair", "an escape that does not exist"),
  given("backslash at the very end", '{"x":"\\', "repair", "an escape that does not exist"),
  given("open string", '{"x":"y', "repair", "middle of a string"),
  given("delete character", withMember('"x":"\u007f"'), "accept", ""),
  given("replacement characters", withMember('"x":"\ufffd\ufffd"'), "accept", ""),
];

const large = (): MalformedText[] => [
  built("lists 100 deep", () => `${"[".repeat(100)}${"]".repeat(100)}`, "refuse", "must hold an object"),
  built("lists 101 deep", () => `${"[".repeat(101)}${"]".repeat(101)}`, "refuse", "deeper than 100"),
  built(
    "lists 100,000 deep",
    () => withMember(`"x":${"[".repeat(100_000)}${"]".repeat(100_000)}`),
    "refuse",
    "deeper than 100",
  ),
  built("objects 100,000 deep", () => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, "refuse", "deeper than 100"),
  built("a million opening brackets", () => "[".repeat(1_000_000), "refuse", "deeper than 100"),
  built("a string of 8 MB", () => withMember(`"x":"${"a".repeat(8_000_000)}"`), "accept", ""),
  built("a string of escapes", () => withMember(`"x":"${"\\n".repeat(1_000_000)}"`), "accept", ""),
  built("64 MB and more", () => `"${"a".repeat(64 * 1024 * 1024)}"`, "refuse", "larger than 64 MB"),
  built(
    "100,000 names",
    () => withMember(Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join(",")),
    "accept",
    "",
  ),
  built("a name of 1 MB", () => withMember(`"${"k".repeat(1_000_000)}":1`), "accept", ""),
  built(
    "a name of 1 MB twice",
    () => withMember(`"${"k".repeat(1_000_000)}":1,"${"k".repeat(1_000_000)}":1`),
    "refuse",
    "twice",
  ),
  built("a million empty lists", () => withMember(`"x":[${"[],".repeat(1_000_000)}[]]`), "accept", ""),
];
