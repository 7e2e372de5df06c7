// Files that no commit holds and a checkout needs: taken from the user's own checkout, and never from outside of it.
import { createHash } from "node:crypto";
import { cp, lstat, mkdir, readFile, realpath, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { failed, type Outcome, succeeded } from "../../protocol/failure.ts";
import type { Setup } from "../../protocol/setup.ts";

export interface SharedPath {
  readonly path: string;
  readonly how: "copy" | "link";
}

export const sharedPaths = ({ share }: Setup): readonly SharedPath[] =>
  share.map((entry) => {
    const { path, how } = typeof entry === "string" ? { path: entry, how: "copy" as const } : entry;
    return { path: path.replace(/\/+$/, ""), how };
  });

/** Larger ones, and directories, are taken for unchanged: to look at all of them would cost more than it is worth. */
const readUpTo = 1_000_000;

/** What tells that a shared file is another than before. */
export async function contentOf(root: string, shared: readonly SharedPath[]): Promise<readonly string[]> {
  return Promise.all(
    shared.map(async ({ path, how }) => {
      const seen = how === "copy" ? await lstat(join(root, path)).catch(() => null) : null;
      if (seen === null || !seen.isFile()) return seen === null ? "" : "there";
      if (seen.size > readUpTo) return `${seen.size} ${seen.mtimeMs}`;
      return createHash("sha256")
        .update(await readFile(join(root, path)))
        .digest("hex");
    }),
  );
}

/** Into a clean checkout. What the user's has not got is left out. */
export async function shareInto(checkout: string, root: string, shared: readonly SharedPath[]): Promise<Outcome<null>> {
  for (const { path, how } of shared) {
    const [from, to] = [join(root, path), join(checkout, path)];
    if ((await lstat(from).catch(() => null)) === null) continue;
    for (const [place, top] of [
      [from, root],
      [dirname(to), checkout],
    ] as const) {
      await mkdir(dirname(to), { recursive: true });
      if ((await realpath(place)) !== join(await realpath(top), place.slice(top.length)))
        return failed(behindLink(path));
    }
    if ((await lstat(to).catch(() => null)) !== null) return failed(inTheWay(path));
    if (how === "link") await symlink(from, to);
    // Links inside are copied as links: nothing is read through them.
    else await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
  return succeeded(null);
}

const behindLink = (path: string) =>
  ({
    kind: "env_setup",
    message: `setup.share: ${path} is a link, or lies behind one`,
    remedy: "share the path it leads to, if that is inside the project, or copy it there",
  }) as const;

const inTheWay = (path: string) =>
  ({
    kind: "env_setup",
    message: `setup.share: ${path} is part of the project: every checkout has it`,
    remedy: "share only what git ignores",
  }) as const;
