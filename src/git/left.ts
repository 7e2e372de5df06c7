// What an agent left for us in a checkout (rules I5, I7): told from the project's own files, and read.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../kit/escape.ts";
import { openFolderBelow } from "../kit/read-below.ts";
import type { CommitId } from "../protocol/ids.ts";
import { type LeftFiles, leftPaths, mostLeft } from "../protocol/left.ts";
import { type GitCall, gitPaths } from "./git.ts";
import type { Site } from "./site.ts";

const both = [leftPaths.handoff, leftPaths.results];
const fromTop = ({ rootPrefix }: Site, path: string): string => (rootPrefix === "" ? path : `${rootPrefix}/${path}`);

/**
 * Those of the two paths, from the top of the repository, that are there and that the base does not hold: what the
 * project tracks is its own. Git is asked only where there is something.
 */
export async function leftIn(site: Site, work: string, base: CommitId, place: GitCall): Promise<readonly string[]> {
  const there = both.map((path) => fromTop(site, path)).filter((path) => isThere(join(work, path)));
  if (there.length === 0) return [];
  const tracked = await gitPaths(place, ["ls-tree", "-z", "--name-only", "--full-tree", base, "--", ...there]);
  return there.filter((path) => !tracked.includes(Buffer.from(path, "utf8").toString("latin1")));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Something on the way is no folder: then nothing is there.
    return false;
  }
}

/** More names than any research has; past them nothing is looked at. */
const mostNames = 20_000;

export interface CollectRequest {
  readonly work: string;
  readonly base: CommitId;
  /** What was not changed since then, in ms, was there before the attempt. */
  readonly since?: number;
}

export async function collectLeft(site: Site, { work, base, since }: CollectRequest): Promise<LeftFiles> {
  const left = await leftIn(site, work, base, { gitDir: site.user.commonDir });
  const untaken: { what: string; why: string }[] = [];
  const results: { name: string; text: string }[] = [];
  const prefix = site.rootPrefix === "" ? [] : site.rootPrefix.split("/");
  let handoff: string | null = null;
  if (left.includes(fromTop(site, leftPaths.handoff))) {
    const parts = leftPaths.handoff.split("/");
    const name = parts.pop() ?? "";
    reading(work, [...prefix, ...parts], untaken, (folder) => {
      handoff = textIn(folder.read(name, { maxBytes: mostLeft.handoffBytes, since }), leftPaths.handoff, untaken);
    });
  }
  if (left.includes(fromTop(site, leftPaths.results))) {
    reading(work, [...prefix, leftPaths.results], untaken, (folder) => {
      const { names, more } = folder.names(mostNames);
      let room: number = mostLeft.allBytes;
      let looked = 0;
      for (const name of names) {
        if (looked === mostLeft.looked || results.length === mostLeft.results || room <= 0) break;
        looked += 1;
        const shown = oneLine(Buffer.from(name, "latin1").toString("utf8"), 150);
        const read = folder.read(name, { maxBytes: mostLeft.resultBytes, since });
        const text = textIn(read, `${leftPaths.results}/${shown}`, untaken);
        if (text === null) continue;
        results.push({ name: shown, text });
        room -= Buffer.byteLength(text);
      }
      const others = names.length - looked;
      if (others > 0 || more) {
        const why = `${more ? "at least " : ""}${others} more files: the first ${looked} by name were looked at`;
        untaken.unshift({ what: `${leftPaths.results}/`, why });
      }
    });
  }
  return { handoff, results, untaken };
}

type Folder = Extract<ReturnType<typeof openFolderBelow>, { close(): void }>;

function reading(
  work: string,
  parts: readonly string[],
  untaken: { what: string; why: string }[],
  use: (folder: Folder) => void,
): void {
  const folder = openFolderBelow(work, parts);
  if (folder === null) return;
  if ("why" in folder) {
    untaken.push({ what: `${parts.join("/")}/`, why: folder.why });
    return;
  }
  try {
    use(folder);
  } finally {
    folder.close();
  }
}

function textIn(
  read: ReturnType<Folder["read"]>,
  what: string,
  untaken: { what: string; why: string }[],
): string | null {
  if (read === null) return null;
  if ("why" in read) {
    untaken.push({ what, why: read.why });
    return null;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(read.bytes);
    if (text.trim() !== "" && !text.includes("\0")) return text;
    untaken.push({ what, why: text.trim() === "" ? "is empty" : "is no text" });
  } catch {
    // The only error a decoder knows.
    untaken.push({ what, why: "is no UTF-8 text" });
  }
  return null;
}
