// Files that the user's git would change on their way from a commit to the disk. Ours changes nothing and runs no
// filter, so it must not write them.
import { askSettings, gitBytes, pathList, refuseGit } from "../git.ts";
import { refuse } from "../refusal.ts";
import type { Scratch, Site } from "../site.ts";
import { type ChangedFile, isSubmodule, named } from "./changed-files.ts";
import type { Target } from "./target.ts";

interface Settings {
  readonly autocrlf: string;
  readonly eol: string;
  readonly sparse: boolean;
}
type Attributes = ReadonlyMap<string, string>;

export interface Conversion {
  readonly target: Target;
  readonly to: string;
  readonly changes: readonly ChangedFile[];
  /** Whether contents of both sides were put together, not only taken from one. */
  readonly merged: boolean;
}

/** Refuses, naming files and attributes and the plain command that does it by hand. */
export async function refuseConversion(site: Site, scratch: Scratch, of: Conversion): Promise<void> {
  const { target, changes } = of;
  const gitDir = target.checkout?.gitDir ?? site.user.gitDir;
  const settings = await readSettings(gitDir);
  if (settings.sparse && target.checkout !== null) byHand(site, target, "its checkout is sparse");
  const paths = changes.filter(({ after, before }) => !isSubmodule(after ?? before)).map(({ path }) => path);
  if (paths.length === 0) return;
  const reasons = new Map<string, string[]>();
  // The rules before and after: either may be the ones that the user's git goes by while it writes.
  for (const tree of [target.head, of.to]) {
    const attributes = await attributesIn(site, scratch, { gitDir, tree, paths });
    for (const [path, own] of attributes) {
      const reason =
        (target.checkout === null ? null : conversionOf(own, settings)) ?? (of.merged ? mergeDriverOf(own) : null);
      if (reason !== null && !reasons.get(reason)?.includes(path))
        reasons.set(reason, [...(reasons.get(reason) ?? []), path]);
    }
  }
  if (reasons.size === 0) return;
  const list = [...reasons].map(([reason, files]) => `${named(files)} (${reason})`).join("; ");
  byHand(site, target, `files need your own git to be written or merged: ${list}`);
}

function byHand(site: Site, { branch }: Target, why: string): never {
  return refuse({
    kind: "usage",
    message: `${branch} stays as it is: ${why}`.slice(0, 3_900),
    remedy: `do it by hand, on ${branch}: git merge ${site.branch}`,
  });
}

async function readSettings(gitDir: string): Promise<Settings> {
  const found = await askSettings({ gitDir }, [
    "config",
    "-z",
    "--get-regexp",
    "^core\\.(autocrlf|eol|sparsecheckout)$",
  ]);
  const entries = found.stdout.toString("utf8").split("\0");
  // A key without a value is true; the last one of a name counts, as for git.
  const setting = (name: string): string => {
    const entry = entries.findLast((line) => line === name || line.startsWith(`${name}\n`));
    return (entry === undefined ? "" : entry === name ? "true" : entry.slice(name.length + 1)).toLowerCase();
  };
  const isTrue = (value: string): boolean => ["true", "yes", "on", "1"].includes(value);
  const autocrlf = setting("core.autocrlf");
  return {
    autocrlf: isTrue(autocrlf) ? "true" : autocrlf,
    eol: setting("core.eol"),
    sparse: isTrue(setting("core.sparsecheckout")),
  };
}

const asked = ["filter", "text", "crlf", "eol", "ident", "working-tree-encoding", "merge"];

async function attributesIn(
  site: Site,
  scratch: Scratch,
  { gitDir, tree, paths }: { readonly gitDir: string; readonly tree: string; readonly paths: readonly string[] },
): Promise<ReadonlyMap<string, Attributes>> {
  const indexFile = `${scratch.place.indexFile}.attributes`;
  await gitBytes({ gitDir: site.ledger, indexFile }, ["read-tree", tree]);
  const args = ["check-attr", "--cached", "--stdin", "-z", ...asked, "--"];
  const found = await askSettings({ gitDir, indexFile }, args.slice(0, -1), pathList(paths));
  if (found.code !== 0) refuseGit(args, found);
  const fields = found.stdout.toString("latin1").split("\0");
  const all = new Map<string, Map<string, string>>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", name = "", value = ""] = fields.slice(at, at + 3);
    const own = all.get(path) ?? new Map<string, string>();
    all.set(path, own.set(name, value));
  }
  return all;
}

const isOff = (value: string | undefined): boolean =>
  value === undefined || value === "unspecified" || value === "unset";

/** Null when the file is written exactly as it is stored. */
function conversionOf(own: Attributes, { autocrlf, eol }: Settings): string | null {
  if (!isOff(own.get("filter"))) return `filter=${own.get("filter")}`;
  if (!isOff(own.get("ident"))) return "ident";
  if (!isOff(own.get("working-tree-encoding"))) return `working-tree-encoding=${own.get("working-tree-encoding")}`;
  // `crlf` is the old name of `text`.
  const text = own.get("text") === "unspecified" ? own.get("crlf") : own.get("text");
  if (text === "unset") return null;
  if (own.get("eol") === "crlf") return "eol=crlf";
  if (own.get("eol") === "lf" || text === "input") return null;
  if (autocrlf === "true") return "core.autocrlf";
  return !isOff(text) && eol === "crlf" && autocrlf !== "input" ? "core.eol" : null;
}

/** What decides a merge there is not the contents alone. */
function mergeDriverOf(own: Attributes): string | null {
  const driver = own.get("merge");
  if (driver === undefined || ["unspecified", "set", "text"].includes(driver)) return null;
  return driver === "unset" ? "-merge" : `merge=${driver}`;
}
