// What a trap for git is, and how one is laid.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

export interface TrapPlace {
  readonly gitDir: string;
  readonly workTree: string;
  /** A program that leaves a trace. */
  readonly payload: string;
  /** A folder of this trap's own, outside of the repository. */
  readonly aside: string;
  /** Another repository, to fetch from. */
  readonly other: string;
}

export interface Trap {
  readonly name: string;
  /** Traps that leave each other alone – no setting of theirs outranks another's – are planted together. */
  readonly group: string;
  readonly config?: (place: TrapPlace) => Readonly<Record<string, string>>;
  readonly plant?: (place: TrapPlace) => Promise<void>;
  /** What the environment of the process that starts git says; may write files of its own. */
  readonly environment?: (place: TrapPlace) => Promise<Readonly<Record<string, string>>>;
  /** Before the calls, and only for them. */
  readonly prepare?: (place: TrapPlace) => Promise<void>;
  /** Calls of plain git; the trap is real if these run the payload. */
  readonly fire: readonly (readonly string[])[];
  /** Some run only where somebody looks. */
  readonly terminal?: true;
  /** Nothing can be done under it, and that is said. */
  readonly refused?: true;
  /** The first git that knows it. */
  readonly since?: string;
}

export const put = async (file: string, text: string | Buffer, mode = 0o644): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
};

/** Values are quoted, so that any text is one. */
export const configText = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([key, value]) => {
      const [section, name, variable] = [
        key.split(".", 1)[0],
        key.slice(key.indexOf(".") + 1, Math.max(key.lastIndexOf("."), key.indexOf(".") + 1)),
        key.slice(key.lastIndexOf(".") + 1),
      ];
      const escaped = (text: string): string => text.replace(/[\\"]/g, "\\$&");
      const header = name === "" ? `[${section}]` : `[${section} "${escaped(name)}"]`;
      return `${header}\n\t${variable} = "${escaped(value)}"\n`;
    })
    .join("");

/** A call that reads every file anew. */
export const touched = ["add", "--renormalize", "."];
