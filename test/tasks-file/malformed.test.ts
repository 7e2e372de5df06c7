// Every malformed state file gives a plan or one clear line. None throws, none hangs.
import { expect, test } from "vitest";
import { readTasksFile } from "../../src/core/tasks-file/read.ts";
import { isDamagedJson } from "../../src/protocol/strict-json.ts";
import type { MalformedText } from "../corpus/malformation.ts";
import { malformedPlaces, malformedTexts } from "../corpus/malformed.ts";

test("F7: the corpus has at least 250 files, each with a name of its own", () => {
  const names = [...malformedTexts, ...malformedPlaces].map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(250);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});

test.for(malformedTexts.map((malformed) => [malformed.name, malformed] as const))("F5, F7: %s", ([, malformed]) =>
  expect(seen(malformed)).toEqual({ expects: malformed.expects, says: malformed.says, unclear: [] }),
);

/** What became of it, in the words of the corpus. */
function seen({ text: build, says }: MalformedText): Omit<MalformedText, "name" | "text"> & { unclear: string[] } {
  const text = build();
  const read = readTasksFile(text, "harness-tasks.json");
  if (read.ok) {
    const { warnings } = read.value;
    const said = says === "" ? warnings.length === 0 : warnings.some((line) => line.includes(says));
    return { expects: "accept", says: said ? says : warnings.join("\n"), unclear: warnings.filter(isUnclear) };
  }
  const { message, remedy = "" } = read.failure;
  return {
    expects: isDamagedJson(text) ? "repair" : "refuse",
    says: message.includes(says) ? says : message,
    unclear: [
      ...[message].filter(isUnclear),
      ...(remedy === "" || remedy.includes("\n") ? [`no next step: ${remedy}`] : []),
    ],
  };
}

/** One line, of a length to be read, that names the file and a place in it. */
const isUnclear = (line: string): boolean =>
  !/^harness-tasks\.json(?::\d+:\d+)?: (?:\P{C})+$/u.test(line) || line.length > 1_000;
