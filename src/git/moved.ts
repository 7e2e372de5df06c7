// A repository that was moved, or whose state root was: private clones made before read its objects from the old place.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, keepText, kindOf, readText } from "./files.ts";

const alternatesOf = (gitDir: string): string[] => [gitDir, join(gitDir, "objects"), join(gitDir, "objects", "info")];

/** Clones that read from the place the ledger knows are led to the new one; before the ledger is, so that a crash repeats it. */
export async function followMove(home: string, ledger: string, objectsDir: string): Promise<void> {
  const before = await readText(join(ledger, "objects", "info", "alternates"), 65_536);
  const now = `${objectsDir}\n`;
  if (before === null || before === now) return;
  for (const gitDir of await clonesIn(home)) {
    const folders = alternatesOf(gitDir);
    // An agent could have put a link in the way; then it is left alone.
    const kinds = await Promise.all(folders.map(kindOf));
    if (kinds.some((kind) => kind !== "directory")) continue;
    const file = join(folders.at(-1) ?? "", "alternates");
    if ((await readText(file, 65_536)) === before) await keepText(file, now);
  }
}

async function clonesIn(home: string): Promise<string[]> {
  const lanes = await namesIn(join(home, "lanes"));
  const inLanes = await Promise.all(
    lanes.map(async (lane) => (await namesIn(join(home, "lanes", lane))).map((name) => join("lanes", lane, name))),
  );
  const archives = (await namesIn(join(home, "archive"))).map((name) => join("archive", name));
  return [...inLanes.flat(), ...archives].map((place) => join(home, place, ".git"));
}

async function namesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
