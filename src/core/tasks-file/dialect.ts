// What differs between plan files: where their entries stand, and what their fields and words are called.
import type { AdoptedTask } from "../../protocol/adopted.ts";
import type { Fields, Path, Reading } from "./reading.ts";

export interface OpenFile {
  /** Where the entries stand. */
  readonly list: Path;
  readonly entries: unknown;
  readonly created: { readonly path: Path; readonly value: unknown };
  /** All else the file says. */
  readonly rest: Fields;
}

export interface Dialect {
  /** Null when the reading has failed. */
  open(reading: Reading, value: unknown): OpenFile | null;
  /** One entry; `created` stands in for times that cannot be read but are needed. */
  read(reading: Reading, path: Path, entry: Fields, created: number): AdoptedTask | null;
  /** Names of the field that lists what an entry depends on. */
  readonly dependsOn: readonly string[];
}
