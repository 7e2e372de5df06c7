// The git side of a linked work tree, read as data: an agent can write all of it.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CommitId } from "../../protocol/ids.ts";
import type { AgentRefs } from "../agent-git.ts";
import { kindOf, readText } from "../files.ts";
import { resolveHead } from "../head.ts";
import type { Site } from "../site.ts";
import type { Slot } from "./slot.ts";
import { adminOf, linkText, type Tie } from "./tie.ts";

/** What git itself puts there and what holds no work, or work that is looked at. Anything else might be work. */
export const plainFiles = ["HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "commondir", "gitdir", "index", "logs/HEAD"];
const plainNames = new Set([...plainFiles.map((file) => file.split("/", 1)[0]), "refs"]);
const maxLogBytes = 4_000_000;

/** As for a clone, of one work tree: its head, its branch, and every commit its head ever was at. */
export async function readLinkedRefs(site: Site, slot: Slot, tie: Tie): Promise<AgentRefs> {
  const admin = adminOf(site, tie);
  const headText = ((await readText(join(admin, "HEAD"), 4_096)) ?? "").trim();
  const head = await resolveHead(site, headText);
  const refs = new Map<string, CommitId>();
  const tip = await resolveHead(site, `ref: refs/heads/${tie.branch}`);
  if (tip !== null) refs.set(`refs/heads/${tie.branch}`, tip);
  const before = CommitId.safeParse(((await readText(join(admin, "ORIG_HEAD"), 4_096)) ?? "").trim());
  if (before.success) refs.set("ORIG_HEAD", before.data);
  const log = join(admin, "logs", "HEAD");
  const lines = ((await readText(log, maxLogBytes)) ?? "").split("\n");
  for (const [i, line] of lines.entries()) {
    const id = CommitId.safeParse(line.split(" ")[1]);
    if (id.success && !/^0+$/.test(id.data)) refs.set(`logs/HEAD@${i}`, id.data);
  }
  const readable = (await kindOf(log)) === "missing" || lines.length > 1;
  const linked =
    (await kindOf(slot.work)) === "missing" || (await readText(join(slot.work, ".git"), 16_384)) === linkText(admin);
  return { head, headText, refs, complete: head !== null && readable && linked && (await isPlain(admin)) };
}

/** No open merge or rebase, no bisection, no reference of its own, no settings. */
async function isPlain(admin: string): Promise<boolean> {
  if ((await kindOf(admin)) !== "directory") return false;
  if ((await readdir(admin)).some((name) => !plainNames.has(name))) return false;
  if ((await kindOf(join(admin, "logs"))) === "directory" && (await readdir(join(admin, "logs"))).join() !== "HEAD")
    return false;
  return holdsNoFile(join(admin, "refs"));
}

async function holdsNoFile(directory: string): Promise<boolean> {
  if ((await kindOf(directory)) === "missing") return true;
  for (const entry of await readdir(directory, { withFileTypes: true }))
    if (!entry.isDirectory() || !(await holdsNoFile(join(directory, entry.name)))) return false;
  return true;
}
