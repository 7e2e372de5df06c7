// A rescue: everything a rollback would discard is kept first, byte by byte, and read back (A6). The place is not
// changed. The rescue is there once its directory of the vault has its name, the last step of all; what an
// interrupted one leaves behind belongs to nobody and is made again.
import { createHash } from "node:crypto";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createFolderDurably } from "../../kit/durable-folder.ts";
import { type RescueEntry, type RescueSummary, rescueName } from "../../protocol/rescue.ts";
import { kindOf, readText, syncDirectory, writeWhole } from "../files.ts";
import { git } from "../git.ts";
import { untilStill } from "../refusal.ts";
import { type Scratch, type Site, withScratch } from "../site.ts";
import { hashOf, readSame, readWhole, targetOf } from "./content.ts";
import { type Listing, listWork } from "./listing.ts";
import { LooseObjects, objectId, type TreeFile } from "./loose.ts";
import { type RescueRequest, refuseChanged } from "./place.ts";
import { alone, bringIn, compact, openRescueRepository, rescueRef, setRescueRef, tagRef } from "./rescue-repository.ts";
import { hasSecretName, hasSecretText } from "./secret-looking.ts";
import { lastOf, nextCopy, readManifest, vaultOf } from "./shelf.ts";
import { type Found, surveyPlace } from "./survey.ts";
import { kindsOf, namedIn, objectsOnlyThere, sortOut } from "./their-objects.ts";
import { VaultDraft } from "./vault.ts";
import { verifyRescue } from "./verify.ts";

/** Larger ones go into the vault. */
const largestBlob = 8 * 2 ** 20;

/** An editor's or a build's passing file is no reason to give up; somebody who goes on writing is. */
const mostLooks = 4;

/** Answers the rescue's name. Refused, by the name of what is in the way, when anything cannot be kept. */
export async function rescue(site: Site, request: RescueRequest): Promise<string> {
  const gitDir = await openRescueRepository(site);
  const theirObjects = join(request.gitDir, "objects");
  const readable = !request.shared && (await kindOf(theirObjects)) === "directory" ? [theirObjects] : [];
  const sources = [...readable, join(gitDir, "objects")];
  return alone(site.home, () =>
    untilStill(mostLooks, () => withScratch(site, sources, (scratch) => keep(site, scratch, gitDir, request))),
  );
}

async function keep(site: Site, scratch: Scratch, gitDir: string, request: RescueRequest): Promise<string> {
  const listing = await listWork(request, scratch);
  const found = await surveyPlace(request, listing);
  const read = await readAll(site, request, found);
  const own = await objectsOnlyThere(request, scratch.place);
  const digest = digestOf(request, read, own);
  const last = lastOf(site.home, request);
  const again = last?.kind === "rescue" && last.digest === digest ? last : null;
  if (again !== null) {
    // Made before, by one that died before the place could be given up.
    const { where: vault, name, commit } = again;
    const { entries } = readManifest(again);
    await verifyRescue({ gitDir, vault, ref: rescueRef(name), commit, entries, objects: [] });
    return name;
  }
  // In the scratch: what one that died leaves there is swept.
  const draft = new VaultDraft(join(scratch.directory, "vault"));
  try {
    const copy = nextCopy(site.home, request);
    const name = rescueName({ ...request, copy });
    const at = Date.now();
    const refs = await sharedRefs(site, request);
    const kept = await keepContents(site, scratch, request, { read, draft, listing, own, found, refs, at });
    const objects = await bringIn(site, scratch, gitDir, kept);
    for (const tag of kept.tags) await setRescueRef(gitDir, tagRef(name, tag), tag);
    await setRescueRef(gitDir, rescueRef(name), kept.commit);
    draft.sync();
    const { entries } = kept;
    await verifyRescue({ gitDir, vault: draft.directory, ref: rescueRef(name), commit: kept.commit, entries, objects });
    await refuseMoved(request, listing, found);
    const manifest = `{"v":1,"entries":[\n${entries.map((entry) => JSON.stringify(entry)).join(",\n")}\n]}\n`;
    const summary: RescueSummary = {
      v: 1,
      task: request.task,
      attempt: request.attempt,
      copy,
      at,
      why: request.why,
      base: request.base,
      commit: kept.commit,
      tags: [...kept.tags],
      shallow: [...kept.cut],
      refs,
      exempt: [...request.exempt],
      entries: entries.length,
      bytes: entries.reduce((sum, { size }) => sum + size, 0),
      digest,
      manifest: createHash("sha256").update(manifest).digest("hex"),
    };
    await writeWhole(join(draft.directory, "manifest.json"), manifest);
    await writeWhole(join(draft.directory, "rescue.json"), `${JSON.stringify(summary)}\n`);
    await appear(draft.directory, vaultOf(site.home, { ...request, copy }));
    await compact(gitDir, "many packs");
    return name;
  } finally {
    draft.close();
  }
}

interface Read {
  readonly found: Found;
  readonly sha256: string | null;
  readonly blob: string | null;
  readonly target: string | null;
}

async function readAll({ user }: Site, place: RescueRequest, found: readonly Found[]): Promise<readonly Read[]> {
  const all: Read[] = [];
  for (const one of found) {
    if (one.kind === "link") {
      const target = targetOf(place, one);
      const bytes = Buffer.from(target, "latin1");
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      all.push({ found: one, sha256, blob: one.isWork ? objectId(user.format, "blob", bytes) : null, target });
    } else if (one.kind === "file" && one.isWork && one.size <= largestBlob) {
      const bytes = readWhole(place, one);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      all.push({ found: one, sha256, blob: objectId(user.format, "blob", bytes), target: null });
    } else {
      const sha256 = one.kind === "file" ? hashOf(place, one) : null;
      all.push({ found: one, sha256, blob: null, target: null });
    }
    if (all.length % 100 === 0) await setImmediate();
  }
  return all;
}

function digestOf({ base }: RescueRequest, read: readonly Read[], own: ReadonlySet<string>): string {
  const hash = createHash("sha256").update(`${base}\n`);
  for (const { found, sha256, target } of read) {
    const { path, kind, mode, size } = found;
    hash.update(`${JSON.stringify([path, kind, mode, size, sha256, target])}\n`);
  }
  return hash.update([...own].sort().join()).digest("hex");
}

interface Contents {
  readonly read: readonly Read[];
  readonly draft: VaultDraft;
  readonly listing: Listing;
  readonly own: ReadonlySet<string>;
  readonly found: readonly Found[];
  readonly refs: Readonly<Record<string, string>>;
  readonly at: number;
}

/** Objects go into the scratch, the rest into the draft. */
async function keepContents(site: Site, scratch: Scratch, request: RescueRequest, contents: Contents) {
  const { read, draft, listing, own, found, refs, at } = contents;
  const written = await namedIn(request, found, site.user.format);
  const named = [...written, ...listing.staged, ...Object.values(refs), request.base];
  const blobs = read.flatMap(({ blob }) => (blob === null ? [] : [blob]));
  const kinds = await kindsOf(scratch.place, new Set([...own, ...named, ...blobs]));
  const loose = new LooseObjects(scratch.place.objectsDir, site.user.format);
  const entries: RescueEntry[] = [];
  for (const one of read) entries.push({ ...plain(one), kept: whereKept(request, one, { kinds, loose, draft }) });
  const files = entries.flatMap((entry) => (entry.kept.in === "git" && entry.blob !== null ? [treeFile(entry)] : []));
  const theirs = await sortOut(scratch.place, request.shared, { base: request.base, own, named, kinds });
  const message = `${request.task} attempt ${request.attempt}: ${request.why}`;
  const rest = loose.writeCommit({
    tree: loose.writeTree([
      ...theirs.blobs.map((id) => ({ path: `objects/${id}`, mode: "100644", id })),
      ...theirs.trees.map((id) => ({ path: `objects/${id}`, mode: "40000", id })),
    ]),
    parents: theirs.commits,
    at,
    message: `everything else of ${message}`,
  });
  const tree = loose.writeTree(files);
  const commit = loose.writeCommit({ tree, parents: [request.base, rest], at, message });
  return { entries, commit, tags: theirs.tags, cut: theirs.cut, own: theirs.own };
}

const plain = ({ found, sha256, blob, target }: Read): Omit<RescueEntry, "kept"> => {
  const { path, kind, mode, size } = found;
  return { path, kind, mode, size, sha256, blob, target };
};

const treeFile = ({ path, kind, mode, blob }: RescueEntry): TreeFile => ({
  path,
  mode: kind === "link" ? "120000" : (mode & 0o100) === 0 ? "100644" : "100755",
  id: blob ?? "",
});

interface Stores {
  readonly kinds: ReadonlyMap<string, string>;
  readonly loose: LooseObjects;
  readonly draft: VaultDraft;
}

function whereKept(request: RescueRequest, { found, sha256, blob, target }: Read, stores: Stores): RescueEntry["kept"] {
  const { kinds, loose, draft } = stores;
  if (found.kind === "link" && blob !== null) {
    if (!kinds.has(blob)) loose.write("blob", Buffer.from(target ?? "", "latin1"));
    return { in: "git" };
  }
  if (found.kind !== "file" || sha256 === null) return { in: "manifest" };
  const inVault = () => draft.add(found.size, sha256, (take) => readSame(request, found, sha256, take));
  if (blob === null || hasSecretName(found.path)) return inVault();
  if (kinds.has(blob)) return { in: "git" };
  const content = readWhole(request, found);
  if (hasSecretText(content)) return inVault();
  if (loose.write("blob", content) !== blob) refuseChanged(found.path);
  return { in: "git" };
}

/** Whoever is still at work there makes every copy a guess. */
async function refuseMoved(request: RescueRequest, listing: Listing, before: readonly Found[]): Promise<void> {
  const after = new Map((await surveyPlace(request, listing)).map((found) => [found.path, found.stamp]));
  const moved = before.find(({ path, stamp }) => after.get(path) !== stamp);
  if (moved !== undefined) refuseChanged(moved.path);
  const known = new Set(before.map(({ path }) => path));
  const added = [...after.keys()].find((path) => !known.has(path));
  if (added !== undefined) refuseChanged(added);
}

/** A restored place has no repository behind it: the branch it was on comes along. */
async function sharedRefs({ user }: Site, { shared, gitDir }: RescueRequest): Promise<Record<string, string>> {
  const head = shared ? ((await readText(join(gitDir, "HEAD"), 4_096)) ?? "").trim() : "";
  if (!head.startsWith("ref: refs/")) return {};
  const ref = head.slice(5);
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const found = await git({ gitDir: user.commonDir }, args);
  // A branch without a commit yet.
  return found.code === 0 ? { [ref]: found.stdout.toString("latin1").trim() } : {};
}

async function appear(draft: string, vault: string): Promise<void> {
  await syncDirectory(draft);
  createFolderDurably(dirname(vault), 0o700);
  await rename(draft, vault);
  await syncDirectory(dirname(vault));
}
