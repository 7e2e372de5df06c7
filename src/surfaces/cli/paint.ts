// Colour, where somebody looks and nobody asked for none.
import { styleText } from "node:util";
import type { Environment } from "../../runtime/project.ts";

export type Colour = "red" | "green" | "yellow" | "cyan" | "dim";
export type Paint = (colour: Colour, text: string) => string;

export function painterFor(stream: NodeJS.WriteStream, env: Environment): Paint {
  const plain = !isTerminal(stream, env) || (env.NO_COLOR ?? "") !== "";
  // The stream was looked at above; styleText would look at stdout, whichever stream is painted for.
  return (colour, text) => (plain ? text : styleText(colour, text, { validateStream: false }));
}

/** A terminal that understands more than lines of text. */
export const isTerminal = (stream: NodeJS.WriteStream, env: Environment): boolean =>
  stream.isTTY === true && env.TERM !== "dumb";
