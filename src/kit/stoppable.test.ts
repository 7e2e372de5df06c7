import { once } from "node:events";
import { expect, test } from "vitest";
import { stoppable } from "./stoppable.ts";

async function* untilStopped(signal: AbortSignal): AsyncGenerator<string, void, void> {
  yield "started";
  if (!signal.aborted) await once(signal, "abort");
  yield "stopped";
}

test("values pass through, and the outer signal reaches the inside", async () => {
  const outer = new AbortController();
  const values: string[] = [];
  for await (const value of stoppable(outer.signal, untilStopped)) {
    values.push(value);
    outer.abort();
  }
  expect(values).toEqual(["started", "stopped"]);
});

test("an already aborted outer signal is seen from the start", async () => {
  const values = stoppable(AbortSignal.abort(), async function* (signal) {
    yield signal.aborted;
  });
  expect(await values.next()).toEqual({ done: false, value: true });
});

test("returning while the next value is awaited does not wait for that value to come by itself", async () => {
  const values = stoppable(new AbortController().signal, untilStopped);
  await values.next();
  const pending = values.next();
  const returned = values.return?.();
  expect(await pending).toEqual({ done: false, value: "stopped" });
  expect(await returned).toEqual({ done: true, value: undefined });
});
