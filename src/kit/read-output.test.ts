import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { readOutput } from "./read-output.ts";

async function textsOf(chunks: readonly Buffer[]): Promise<string[]> {
  const texts: string[] = [];
  await readOutput(Readable.from(chunks), { take: (text) => void texts.push(text) }).done;
  return texts;
}

test("a character split over chunks comes out whole, wherever it is split", async () => {
  const text = "aé€😀z";
  const bytes = Buffer.from(text);
  for (let place = 0; place <= bytes.length; place += 1) {
    const texts = await textsOf([bytes.subarray(0, place), bytes.subarray(place)]);
    expect(texts.join("")).toBe(text);
    expect(texts.filter((piece) => piece.includes("\ufffd"))).toEqual([]);
  }
});

test("an unfinished character at the end is shown as one that cannot be read", async () => {
  expect(await textsOf([Buffer.from("ok"), Buffer.from([0xe2, 0x82])])).toEqual(["ok", "\ufffd"]);
});

test("a filter sees the text first and may hold back until the end", async () => {
  const taken: string[] = [];
  const filter = { push: (text: string) => text.toUpperCase(), flush: () => "!" };
  await readOutput(Readable.from([Buffer.from("abc")]), { filter, take: (text) => void taken.push(text) }).done;
  expect(taken).toEqual(["ABC", "!"]);
});

test("after the cut-off a pipe that stays open but silent is given up, with all that was in it", async () => {
  const pipe = new PassThrough();
  const taken: string[] = [];
  const reader = readOutput(pipe, { take: (text) => void taken.push(text) });
  pipe.write("last words");
  reader.cutOff();
  await reader.done;
  expect([taken, reader.bytes(), pipe.destroyed]).toEqual([["last words"], 10, true]);
});

test("after the cut-off a writer that never stops is given up", async () => {
  const zeros = Buffer.alloc(65_536);
  const endless = new Readable({ read: () => void endless.push(zeros) });
  const reader = readOutput(endless, { take: () => new Promise((resolve) => setImmediate(resolve)) });
  reader.cutOff();
  await reader.done;
  expect(reader.bytes()).toBeLessThanOrEqual(1_048_576 + zeros.length);
});

test("what the taker throws comes out, and nothing more is read", async () => {
  const pipe = new PassThrough();
  pipe.write("x");
  const take = () => {
    throw new Error("full");
  };
  await expect(readOutput(pipe, { take }).done).rejects.toThrow("full");
  expect(pipe.destroyed).toBe(true);
});
