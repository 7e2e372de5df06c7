// Git objects made by hand: a blob, a tree or a commit is a few bytes in a known order, and a process each would cost
// more than the rescue. Bytes go in as they are: no filter can be configured here.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

export type ObjectKind = "blob" | "tree" | "commit";

export function objectId(format: string, kind: ObjectKind, content: Buffer): string {
  return createHash(format).update(`${kind} ${content.length}\0`).update(content).digest("hex");
}

/** Writes objects where nothing is kept for long: they are checked on their way into the rescue repository. */
export class LooseObjects {
  readonly #directory: string;
  readonly #format: string;
  readonly #written = new Set<string>();

  constructor(directory: string, format: string) {
    this.#directory = directory;
    this.#format = format;
  }

  write(kind: ObjectKind, content: Buffer): string {
    const id = objectId(this.#format, kind, content);
    if (this.#written.has(id)) return id;
    this.#written.add(id);
    const folder = join(this.#directory, id.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    const bytes = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
    writeFileSync(join(folder, id.slice(2)), deflateSync(bytes, { level: 1 }));
    return id;
  }

  /** Of paths, byte by byte, with their modes as git writes them. */
  writeTree(files: readonly TreeFile[]): string {
    const here: TreeFile[] = [];
    const below = new Map<string, TreeFile[]>();
    for (const file of files) {
      const slash = file.path.indexOf("/");
      if (slash === -1) {
        here.push(file);
        continue;
      }
      const name = file.path.slice(0, slash);
      const inside = { ...file, path: file.path.slice(slash + 1) };
      const known = below.get(name);
      if (known === undefined) below.set(name, [inside]);
      else known.push(inside);
    }
    for (const [name, inside] of below) here.push({ path: name, mode: "40000", id: this.writeTree(inside) });
    // Git's order: a directory's name counts as if it ended with a slash.
    const key = ({ path, mode }: TreeFile): string => (mode === "40000" ? `${path}/` : path);
    here.sort((a, b) => (key(a) < key(b) ? -1 : 1));
    const lines = here.flatMap(({ path, mode, id }) => [
      Buffer.from(`${mode} ${path}\0`, "latin1"),
      Buffer.from(id, "hex"),
    ]);
    return this.write("tree", Buffer.concat(lines));
  }

  writeCommit({ tree, parents, at, message }: CommitText): string {
    const who = `Harness <harness@localhost> ${Math.floor(at / 1000)} +0000`;
    const head = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${who}`, `committer ${who}`];
    return this.write("commit", Buffer.from(`${head.join("\n")}\n\n${message}\n`));
  }
}

export interface TreeFile {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

interface CommitText {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly at: number;
  readonly message: string;
}
