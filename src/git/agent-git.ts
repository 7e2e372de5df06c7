// Reads an agent's git directory as data. The agent can write anything there, so git itself is never pointed at it:
// references are parsed here, and its objects are looked up through the ledger.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CommitId } from "../protocol/ids.ts";
import { kindOf, readText } from "./files.ts";
import { git } from "./git.ts";
import { type Site, withScratch } from "./site.ts";
import { commitSubjects } from "./standing.ts";

export interface AgentRefs {
  /** The commit checked out; null when it cannot be told. */
  readonly head: CommitId | null;
  /** What HEAD names: a reference, or a commit. */
  readonly headText: string;
  readonly refs: ReadonlyMap<string, CommitId>;
  /** Whether everything that can hold commits was understood. */
  readonly complete: boolean;
}

const nothing: AgentRefs = { head: null, headText: "", refs: new Map(), complete: false };
const maxRefBytes = 4_096;
const maxPackedBytes = 16 * 1024 * 1024;
const maxRefs = 1_000;

export async function readAgentRefs(gitDir: string): Promise<AgentRefs> {
  if ((await kindOf(gitDir)) !== "directory") return nothing;
  const refs = new Map<string, CommitId>();
  for (const line of ((await readText(join(gitDir, "packed-refs"), maxPackedBytes)) ?? "").split("\n")) {
    const [id = "", name] = line.split(" ");
    if (name !== undefined && CommitId.safeParse(id).success) refs.set(name, id);
  }
  const understood = await readLoose(gitDir, "refs", refs);
  // Linked work trees and submodules keep references and objects of their own.
  const more = await Promise.all(["worktrees", "modules"].map((name) => kindOf(join(gitDir, name))));
  const headText = ((await readText(join(gitDir, "HEAD"), maxRefBytes)) ?? "").trim();
  const named = headText.startsWith("ref: ") ? refs.get(headText.slice(5)) : headText;
  const head = CommitId.safeParse(named).data ?? null;
  const complete = understood && head !== null && more.every((kind) => kind === "missing");
  return { head, headText, refs, complete };
}

export const readHead = async (gitDir: string): Promise<CommitId | null> => (await readAgentRefs(gitDir)).head;

async function readLoose(gitDir: string, directory: string, refs: Map<string, CommitId>): Promise<boolean> {
  if ((await kindOf(join(gitDir, directory))) !== "directory") return false;
  let understood = true;
  for (const entry of await readdir(join(gitDir, directory), { withFileTypes: true })) {
    const name = `${directory}/${entry.name}`;
    if (refs.size > maxRefs) return false;
    if (entry.isDirectory()) understood = (await readLoose(gitDir, name, refs)) && understood;
    else {
      const id = CommitId.safeParse(((await readText(join(gitDir, name), maxRefBytes)) ?? "").trim());
      if (id.success) refs.set(name, id.data);
      else understood = false;
    }
  }
  return understood;
}

export interface CommitFacts {
  readonly tree: string;
  readonly parents: readonly CommitId[];
}

/** The ledger with the agent's objects to be read, none of them to be kept. */
export interface AgentObjects {
  /** What a commit says of itself; null when it is not there or is none. */
  facts(commit: CommitId): Promise<CommitFacts | null>;
  /** Whether `commit` adds nothing to the history of `base`. */
  isPartOf(commit: CommitId, base: CommitId): Promise<boolean>;
  /** Of the last commits that it adds, newest first. */
  subjects(commit: CommitId, base: CommitId): Promise<readonly string[]>;
}

/** `stores` are object directories beyond the user's: of a clone, its own; of a linked work tree, none. */
export function withAgentObjects<T>(
  site: Site,
  stores: readonly string[],
  look: (objects: AgentObjects) => Promise<T>,
): Promise<T> {
  return withScratch(site, stores, ({ place: { gitDir, objectsDir } }) =>
    look({
      async facts(commit) {
        const shown = await git({ gitDir, objectsDir }, ["cat-file", "commit", commit]);
        const head = shown.stdout.toString("utf8").split("\n\n", 1)[0] ?? "";
        const tree = /^tree ([0-9a-f]+)$/m.exec(head)?.[1];
        const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] ?? "");
        return shown.code === 0 && tree !== undefined ? { tree, parents } : null;
      },
      subjects: (commit, base) => commitSubjects({ gitDir, objectsDir }, base, commit),
      async isPartOf(commit, base) {
        if (commit === base) return true;
        return (await git({ gitDir, objectsDir }, ["merge-base", "--is-ancestor", commit, base])).code === 0;
      },
    }),
  );
}
