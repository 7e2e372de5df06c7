// Tells people by one line on a stream, such as the terminal's.
import type { Writable } from "node:stream";
import { oneLine } from "../../kit/escape.ts";
import type { Notifier } from "../notifier.ts";

export function createConsoleNotifier(stream: Writable): Notifier {
  return {
    send: ({ kind, text }) =>
      new Promise((resolve, reject) => {
        stream.write(`${kind}: ${oneLine(text)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
