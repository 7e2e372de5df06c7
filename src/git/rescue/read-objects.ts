// Reads many objects of the rescue repository in few calls, each bounded in what it prints.
import { git } from "../git.ts";

export interface Sized {
  readonly id: string;
  readonly size: number;
}

const batchBytes = 24 * 2 ** 20;
const batchObjects = 20_000;

/** Calls `take` for each object, with null for one that cannot be had. */
export async function readObjects(
  gitDir: string,
  objects: Iterable<Sized>,
  take: (id: string, content: Buffer | null) => void,
): Promise<void> {
  let batch: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const input = batch.map((id) => `contents ${id}\n`).join("");
    // On an object that is damaged git gives up: it and those after it were not had.
    const { stdout: output } = await git({ gitDir, input }, ["cat-file", "--batch-command"]);
    let at = 0;
    for (const id of batch) {
      const end = output.indexOf(10, at);
      const [, , size] = end === -1 ? [] : output.toString("latin1", at, end).split(" ");
      at = end === -1 ? output.length : end + 1;
      // `<id> missing` has no size.
      const length = size === undefined ? 0 : Number(size);
      take(id, size === undefined || at + length > output.length ? null : output.subarray(at, at + length));
      if (size !== undefined) at += length + 1;
    }
    batch = [];
    bytes = 0;
  };
  for (const { id, size } of objects) {
    batch.push(id);
    bytes += size;
    if (bytes > batchBytes || batch.length >= batchObjects) await flush();
  }
  if (batch.length > 0) await flush();
}
