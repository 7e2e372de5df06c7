import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hearPromise } from "../../src/core/promise.ts";

const promise = "TASK_COMPLETE";

describe("I2: a promise counts", () => {
  test.each([
    ["alone", "TASK_COMPLETE"],
    ["alone on the last line", "All tests pass.\n\nTASK_COMPLETE\n\n"],
    ["with space around it", "Done.\n   TASK_COMPLETE\t\r\n"],
    ["as a tag in a sentence", "I am done: <promise>TASK_COMPLETE</promise>, see the log."],
    ["as a tag with space in it", "<promise>\tTASK_COMPLETE </promise>"],
    ["as a tag over lines", "<promise>\nTASK_COMPLETE\n</promise>"],
    ["as the last of several tags", "<promise>NOT_YET</promise>\nand then\n<promise>TASK_COMPLETE</promise>"],
    ["after a closed fence", "```sh\nnpm test\n```\nTASK_COMPLETE"],
    ["after a fence in a fence", "````md\n```\nTASK\n```\n````\nTASK_COMPLETE"],
  ])("%s", (_, message) => {
    expect(hearPromise(message, promise)).toEqual({ kept: true });
  });

  test("whose words are several, however they are spaced", () => {
    expect(hearPromise("so:\n all   checks\tpass ", "all checks pass")).toEqual({ kept: true });
  });
});

describe("I2: it does not count, and what came close is named", () => {
  test.each([
    ["nothing of the kind", "I did a lot.", null],
    ["an empty message", "", null],
    ["in prose", "I will say TASK_COMPLETE when I am done.", "I will say TASK_COMPLETE when I am done."],
    ["on a line that is not the last", "TASK_COMPLETE\nBut one test fails.", "TASK_COMPLETE"],
    ["in a fence", "```\nTASK_COMPLETE\n```", "TASK_COMPLETE"],
    ["in a fence that is never closed", "```\nTASK_COMPLETE", "TASK_COMPLETE"],
    ["in a fence of waves", "~~~ text\n<promise>TASK_COMPLETE</promise>\n~~~", "<promise>TASK_COMPLETE</promise>"],
    ["in a quote", "The task says:\n> TASK_COMPLETE", "> TASK_COMPLETE"],
    ["as code in a line", "say `<promise>TASK_COMPLETE</promise>`", "say `<promise>TASK_COMPLETE</promise>`"],
    ["with words before it", "Not TASK_COMPLETE", "Not TASK_COMPLETE"],
    ["in other letters", "task complete", "task complete"],
    ["with a mark after it", "**TASK_COMPLETE!**", "**TASK_COMPLETE!**"],
    ["taken back by a later tag", "<promise>TASK_COMPLETE</promise> <promise>NOT_YET</promise>", null],
    ["another promise", "<promise>DONE</promise>", "<promise>DONE</promise>"],
  ])("%s", (_, message, near) => {
    const heard = hearPromise(message, promise);
    expect(heard).toEqual({ kept: false, near: near ?? (message.includes("<promise>") ? message : null) });
  });

  test("a long line is cut", () => {
    expect(hearPromise(`TASK_COMPLETE ${"x".repeat(1_000)}`, promise)).toEqual({
      kept: false,
      near: `TASK_COMPLETE ${"x".repeat(186)}`,
    });
  });

  test("words beside code in one tag are not the promise alone", () => {
    expect(hearPromise("<promise>````TASK_COMPLETE</promise>", promise).kept).toBe(false);
    expect(hearPromise("see `x`: <promise>TASK_COMPLETE</promise>", promise).kept).toBe(true);
  });

  test("whatever is said, only a line or a tag of its own keeps it", () => {
    const words = fc.constantFrom("TASK_COMPLETE", "```", "~~~", "> ", "`", "<promise>", "</promise>", "no", " ", "\n");
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
        const message = parts.join("");
        if (!hearPromise(message, promise).kept) return;
        const last = message.split("\n").findLast((line) => line.trim() !== "") ?? "";
        expect(last.trim() === promise || /<promise>\s*TASK_COMPLETE\s*<\/promise>/.test(message)).toBe(true);
      }),
    );
  });
});
