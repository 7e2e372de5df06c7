// One file being read: remembers the first thing that makes it unusable and all that was taken with tolerance (F7).
import type { Failure, FailureKind } from "../../protocol/failure.ts";
import { fieldPath, quoted, shownName } from "../../protocol/strict-json.ts";
import { momentOf } from "../../protocol/tasks-file.ts";

export type Path = readonly (string | number)[];
export type Fields = Readonly<Record<string, unknown>>;

/** A schema of the protocol that takes text. */
interface TextSchema {
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: { issues: readonly { message: string }[] } };
}

/** More lines than this help nobody; the rest are counted. */
const maxWarnings = 100;

export class Reading {
  failure: Failure | null = null;
  readonly #name: string;
  readonly #warnings: string[] = [];
  #unsaid = 0;

  constructor(name: string) {
    this.#name = shownName(name);
  }

  get warnings(): readonly string[] {
    if (this.#unsaid === 0) return this.#warnings;
    return [...this.#warnings, `${this.#name}: ${this.#unsaid} more like these`];
  }

  warn(path: Path, what: string): void {
    if (this.#warnings.length === maxWarnings) this.#unsaid += 1;
    else this.#warnings.push(`${this.#name}: ${fieldPath(path)}: ${what}`);
  }

  /** The first refusal counts; what is read after it is thrown away. */
  refuse(path: Path, what: string, remedy: string, kind: FailureKind = "config"): null {
    const place = path.length === 0 ? "" : ` ${fieldPath(path)}:`;
    this.failure ??= { kind, message: `${this.#name}:${place} ${what}`, remedy };
    return null;
  }

  /** An optional text that must be right if it is there: something is run or shown by it. */
  text(path: Path, value: unknown, schema: TextSchema): string | null {
    if (value === undefined || value === null || value === "") return null;
    if (typeof value !== "string")
      return this.refuse(path, `must be text, not ${kindOf(value)}`, "Write it in quotes.");
    return this.fitting(path, value, schema);
  }

  fitting(path: Path, value: string, schema: TextSchema): string | null {
    const parsed = schema.safeParse(value);
    if (parsed.success) return String(parsed.data);
    const why = parsed.error?.issues[0]?.message ?? "it does not fit";
    return this.refuse(path, `${quoted(value)} is not allowed: ${why}`, "Change it.");
  }

  /** A command line; a NUL in it could not be handed to any program. */
  command(path: Path, value: unknown, schema: TextSchema): string | null {
    const found = this.text(path, value, schema);
    return found?.includes("\0") ? this.refuse(path, "contains a NUL character", "Take it away.") : found;
  }

  /** A whole number; anything else is read as the nearest that makes sense. */
  count(path: Path, value: unknown, fallback: number, least: number, most: number): number {
    if (value === undefined || value === null) return fallback;
    const given = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
    const whole = typeof given === "number" && given >= least ? Math.min(Math.floor(given), most) : fallback;
    if (whole !== value) this.warn(path, `${shown(value)} is read as ${whole}`);
    return whole;
  }

  moment(path: Path, value: unknown): number | null {
    if (value === undefined || value === null) return null;
    const at = typeof value === "string" ? momentOf(value) : null;
    if (at === null) this.warn(path, `${shown(value)} is no time of the form 2026-01-31T12:00:00Z and is left out`);
    return at;
  }

  list(path: Path, value: unknown): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.warn(path, `${kindOf(value)} instead of a list is left out`);
    return [];
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const kindOf = (value: unknown): string =>
  value === undefined
    ? "nothing"
    : value === null
      ? "null"
      : Array.isArray(value)
        ? "a list"
        : typeof value === "object"
          ? "an object"
          : typeof value === "string"
            ? "text"
            : `a ${typeof value}`;

/** A value in a message. */
export const shown = (value: unknown): string =>
  typeof value === "string" ? quoted(value) : typeof value === "object" ? kindOf(value) : String(value);

/** What is left of an object when the fields we know are taken out. */
export function unknownFields(fields: Fields, known: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name)));
}
