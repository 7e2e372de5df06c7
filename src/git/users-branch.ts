// Which branch of the user's a mission branch was cut from. That is told by the name of a reference, so it is there with
// the branch itself, at once and on the disk, and needs no object. It is no symbolic reference: whoever deletes such a
// one deletes the branch it stands for.
import type { CommitId } from "../protocol/ids.ts";
import { git, gitText } from "./git.ts";
import type { Known } from "./known.ts";

interface Place {
  /** Of the checkout. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly known: Known;
}

const heads = "refs/heads/";
const notesOf = (branch: string): string => `refs/harness/user/${branch}`;

/** Changes that note it with `commit`; none with a detached HEAD. */
export async function noteUsersBranch(place: Place, branch: string, commit: CommitId): Promise<readonly string[]> {
  const found = await git({ gitDir: place.gitDir }, ["symbolic-ref", "--quiet", "HEAD"]);
  const ref = found.stdout.toString("utf8").trim();
  if (found.code !== 0 || !ref.startsWith(heads)) return [];
  const note = `${notesOf(branch)}/${ref}`;
  const old = (await notes(place, branch)).filter((name) => name !== note && name !== notesOf(branch));
  return [...old.map((name) => `delete ${name}`), `update ${note} ${commit}`];
}

/** By its whole name; null if it is not known. */
export async function usersBranch(place: Place, branch: string): Promise<string | null> {
  const { commonDir, known } = place;
  if (known.usersBranch?.of === branch) return known.usersBranch.name;
  const [note] = await notes(place, branch);
  if (note === undefined) return null;
  let name = note.slice(notesOf(branch).length + 1);
  // Missions that began with the first versions have a symbolic reference.
  if (name === "") {
    const found = await git({ gitDir: commonDir }, ["symbolic-ref", "--quiet", note]);
    name = found.stdout.toString("utf8").trim();
  }
  if (!name.startsWith(heads)) return null;
  known.usersBranch = { of: branch, name };
  return name;
}

async function notes({ commonDir }: Place, branch: string): Promise<readonly string[]> {
  const listed = await gitText({ gitDir: commonDir }, ["for-each-ref", "--format=%(refname)", notesOf(branch)]);
  return listed.split("\n").filter((name) => name !== "");
}
