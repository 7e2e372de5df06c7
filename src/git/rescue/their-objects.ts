// The objects that only a place has, and where its history is cut: at the first commit that is not its own.
import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { kindOf } from "../files.ts";
import { type GitPlace, git, gitBytes, gitText, refuseGit } from "../git.ts";
import { refuse } from "../refusal.ts";
import { bytesOf, gitPrefix, type Place } from "./place.ts";
import { type Found, hasGitDir } from "./survey.ts";

export interface TheirGit {
  /** Everything to keep besides the files. */
  readonly commits: readonly string[];
  readonly trees: readonly string[];
  readonly blobs: readonly string[];
  readonly tags: readonly string[];
  /** Kept without their parents. */
  readonly cut: readonly string[];
  /** Kept with all of theirs. */
  readonly own: ReadonlySet<string>;
}

const most = { objects: 50_000, bytes: 256 * 2 ** 20, names: 20_000 };
const tooMuch = (): never =>
  refuse({ kind: "env_setup", message: "there is too much to copy", remedy: "Keep the directory itself." });

/** All objects of the place's own store, reachable or not. None when the store is the user's. */
export async function objectsOnlyThere(place: Place, call: GitPlace): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  const store = join(place.gitDir, "objects");
  if (place.shared || !hasGitDir(place) || (await kindOf(store)) !== "directory") return own;
  let bytes = 0;
  const count = (path: string): void => {
    bytes += statSync(path).size;
    if (bytes > most.bytes || own.size > most.objects) tooMuch();
  };
  for (const folder of readdirSync(store).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const name of readdirSync(join(store, folder)).filter((one) => /^([0-9a-f]{38}|[0-9a-f]{62})$/.test(one))) {
      count(join(store, folder, name));
      own.add(`${folder}${name}`);
    }
  const packs = (await kindOf(join(store, "pack"))) === "directory" ? readdirSync(join(store, "pack")) : [];
  for (const name of packs.filter((one) => one.endsWith(".idx"))) {
    const index = join(store, "pack", name);
    count(index.replace(/idx$/, "pack"));
    const listed = await git({ ...call, inputFile: index }, ["show-index"]);
    if (listed.code !== 0) refuseGit(["show-index"], listed);
    for (const line of listed.stdout.toString("latin1").split("\n")) {
      const id = line.split(" ")[1];
      if (id !== undefined) own.add(id);
    }
    if (own.size > most.objects) tooMuch();
  }
  return own;
}

/** Every object id that is written anywhere in the git directory: references, logs, an open merge or rebase. */
export async function namedIn(place: Place, found: readonly Found[], format: string): Promise<ReadonlySet<string>> {
  const pattern = new RegExp(`(?<![0-9a-f])[0-9a-f]{${format === "sha1" ? 40 : 64}}(?![0-9a-f])`, "g");
  const named = new Set<string>();
  for (const { path, kind, size } of found) {
    const inside = path.slice(gitPrefix.length);
    if (!path.startsWith(gitPrefix) || kind !== "file" || size > 2 ** 20 || /^(index|modules\/|hooks\/)/.test(inside))
      continue;
    for (const [id] of (await readFile(bytesOf(place, path), "latin1")).matchAll(pattern)) named.add(id);
    if (named.size > most.names) tooMuch();
  }
  return named;
}

type Kinds = ReadonlyMap<string, string>;

/** The kinds of those objects that are there; what is missing was lost before we came. */
export async function kindsOf(call: GitPlace, ids: Iterable<string>): Promise<Kinds> {
  const input = [...ids].map((id) => `${id}\n`).join("");
  if (input === "") return new Map();
  const checked = await gitText({ ...call, input }, ["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
  return new Map(
    checked.split("\n").flatMap((line) => {
      const [id = "", kind = ""] = line.split(" ");
      return kind === "missing" ? [] : [[id, kind] as const];
    }),
  );
}

export interface Named {
  readonly base: string;
  readonly own: ReadonlySet<string>;
  readonly named: Iterable<string>;
  readonly kinds: Kinds;
}

export async function sortOut(call: GitPlace, shared: boolean, { base, own, named, kinds }: Named): Promise<TheirGit> {
  const all = new Map<string, string>();
  for (const id of [...own, ...named]) {
    const kind = kinds.get(id);
    if (kind !== undefined) all.set(id, kind);
  }
  const tags = ofKind(all, "tag");
  for (const [id, kind] of await peeled(call, tags)) all.set(id, kind);
  const commits = ofKind(all, "commit");
  const parents = await parentsOf(call, shared ? commits : commits.filter((id) => own.has(id)), shared ? base : null);
  const theirs = new Set(parents.keys());
  const cut = new Set([base, ...commits.filter((id) => !theirs.has(id))]);
  const inner = new Set<string>();
  for (const above of parents.values()) for (const parent of above) (theirs.has(parent) ? inner : cut).add(parent);
  const ends = [...theirs].filter((id) => !inner.has(id));
  return {
    commits: [...ends, ...[...cut].filter((id) => id !== base)],
    trees: ofKind(all, "tree"),
    blobs: ofKind(all, "blob"),
    tags,
    cut: [...cut],
    own: theirs,
  };
}

const ofKind = (all: ReadonlyMap<string, string>, wanted: string): string[] =>
  [...all].flatMap(([id, kind]) => (kind === wanted ? [id] : []));

async function peeled(call: GitPlace, tags: readonly string[]): Promise<Kinds> {
  return kindsOf(
    call,
    tags.map((id) => `${id}^{}`),
  );
}

/** Each commit with its parents; with a base, also all that lies between it and them. */
async function parentsOf(
  call: GitPlace,
  commits: readonly string[],
  base: string | null,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (commits.length === 0) return new Map();
  const input = `${[...commits, ...(base === null ? [] : [`^${base}`])].join("\n")}\n`;
  const walk = base === null ? ["--no-walk=unsorted"] : [];
  const listed = await gitBytes({ ...call, input }, ["rev-list", ...walk, "--parents", "--stdin"]);
  const lines = listed
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
  if (lines.length > most.objects) tooMuch();
  return new Map(lines.map((line) => [line.slice(0, line.search(/ |$/)), line.split(" ").slice(1)]));
}
