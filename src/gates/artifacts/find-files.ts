// The files of a checkout that a declared path or pattern means. No link is followed: what it leads to is not the work.
import { lstat, readdir } from "node:fs/promises";
import { join, sep } from "node:path";

/** Names looked at for one pattern: a tree without end has one here. */
const mostNames = 100_000;

export interface Found {
  /** From the checkout, with slashes, in order. */
  readonly files: readonly string[];
  /** Why what stands there is no file; null: nothing does, or all are files. */
  readonly instead: string | null;
}

interface Search {
  readonly dir: string;
  /** Not part of the commit. */
  readonly made: readonly string[];
  readonly files: Set<string>;
  left: number;
  instead: string | null;
}

export async function findFiles(dir: string, pattern: string, made: readonly string[] = []): Promise<Found> {
  const search: Search = { dir, made, files: new Set(), left: mostNames, instead: null };
  await step(search, "", pattern.split("/"));
  return { files: [...search.files].sort(), instead: search.instead };
}

async function step(search: Search, at: string, [segment = "", ...rest]: readonly string[]): Promise<void> {
  if (segment === "**") {
    if (rest.length > 0) await step(search, at, rest);
    for (const name of await namesIn(search, at)) {
      const next = below(at, name);
      const kind = await kindOf(search, next);
      if (kind === "folder") await step(search, next, [segment, ...rest]);
      if (kind === "file" && rest.length === 0) search.files.add(next);
    }
    return;
  }
  const names = /[*?]/.test(segment) ? (await namesIn(search, at)).filter(matcher(segment)) : [segment];
  for (const name of names) {
    const next = below(at, name);
    const kind = await kindOf(search, next);
    if (kind === null) continue;
    if (rest.length > 0 && kind === "folder") await step(search, next, rest);
    else if (rest.length === 0 && kind === "file") search.files.add(next);
    else search.instead ??= `${next} is a ${kind}`;
  }
}

const below = (at: string, name: string): string => (at === "" ? name : `${at}/${name}`);

/** What is hidden, by a dot at its beginning, is matched only by a pattern that begins so. */
const matcher =
  (segment: string) =>
  (name: string): boolean =>
    (segment.startsWith(".") || !name.startsWith(".")) && matches([...segment], [...name]);

/** `*` is any text, `?` one character. Only the last `*` is ever tried again, so no pattern takes long. */
function matches(pattern: readonly string[], name: readonly string[]): boolean {
  let [at, star, tried] = [0, -1, 0];
  for (let place = 0; place < name.length; ) {
    if (pattern[at] === "*") {
      star = at;
      tried = place;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[place])) {
      at += 1;
      place += 1;
    } else if (star >= 0) {
      tried += 1;
      place = tried;
      at = star + 1;
    } else return false;
  }
  return pattern.slice(at).every((sign) => sign === "*");
}

async function namesIn(search: Search, at: string): Promise<readonly string[]> {
  if (search.left <= 0) return [];
  const names = (await readdir(join(search.dir, at)).catch(ignoring("ENOENT", "ENOTDIR"))) ?? [];
  search.left -= names.length;
  return names.filter((name) => name !== ".git").sort();
}

async function kindOf({ dir, made }: Search, path: string): Promise<"file" | "folder" | "link" | "device" | null> {
  const place = join(dir, path);
  if (made.some((root) => place === root || place.startsWith(root + sep))) return null;
  const found = await lstat(place).catch(ignoring("ENOENT", "ENOTDIR", "ENAMETOOLONG"));
  if (found === null) return null;
  if (found.isSymbolicLink()) return "link";
  return found.isDirectory() ? "folder" : found.isFile() ? "file" : "device";
}

const ignoring =
  (...codes: readonly string[]) =>
  (error: NodeJS.ErrnoException): null => {
    if (codes.includes(error.code ?? "")) return null;
    throw error;
  };
