// What a detector may see of a project: whether a file is there, and its text if that is of a sane size.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readSmallFile } from "../config/small-file.ts";

export interface Look {
  /** Null when the file is missing, too large or unreadable: to a guess these are all the same. */
  text(name: string): Promise<string | null>;
  /** The text as JSON; an empty object when it cannot be read as one. */
  json(name: string): Promise<Readonly<Record<string, unknown>> | null>;
  /** The first of these names that is there, else null. */
  first(...names: readonly string[]): Promise<string | null>;
}

export function lookInto(root: string): Look {
  const text = async (name: string): Promise<string | null> => {
    const read = await readSmallFile(join(root, name));
    return read.ok ? read.value : null;
  };
  return {
    text,
    async json(name) {
      const found = await text(name);
      return found === null ? null : objectFrom(found);
    },
    async first(...names) {
      for (const name of names) {
        if (await isThere(join(root, name))) return name;
      }
      return null;
    },
  };
}

function objectFrom(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Comments, or a mistake that the project's own tools will report better.
    return {};
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
