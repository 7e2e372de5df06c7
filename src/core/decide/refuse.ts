// The answer to what cannot be done: recorded, with what to do instead, and nothing changes.
import type { Event } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/failure.ts";

export const refuse = (input: string, subject: string, message: string, remedy?: string): readonly Event[] =>
  refuseWith(input, subject, { kind: "usage", message, ...(remedy === undefined ? {} : { remedy }) });

export const refuseWith = (input: string, subject: string, failure: Failure): readonly Event[] => [
  { type: "input.refused", input, subject, failure },
];
