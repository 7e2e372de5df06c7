// What the user told git about himself, in any of his configuration files: who signs, and which files he never wants to
// see. Read as values only; nothing these files name is run.
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { namingFile } from "../kit/file-error.ts";
import { isMissing } from "./files.ts";
import { git, type Identity, readUserConfig } from "./git.ts";

export interface UserSettings {
  readonly identity: Partial<Identity>;
  /** Patterns of files he ignores everywhere. */
  readonly excludesFile: string;
}

const wanted = "^(user\\.(name|email)|core\\.excludesfile)$";

export async function readUserSettings(gitDir: string): Promise<UserSettings> {
  const asked = await readUserConfig(gitDir, ["--get-regexp", wanted]);
  // With a file of the user's that git cannot read, the repository's own settings still count.
  const own = ["config", "-z", "--show-scope", "--get-regexp", wanted];
  const { stdout } = asked.code <= 1 ? asked : await git({ gitDir }, own);
  const fields = stdout.toString("utf8").split("\0");
  const value = (name: string): string | undefined =>
    // The last one counts, as for git; what we say ourselves on every call does not.
    fields.findLast((field, i) => field.startsWith(`${name}\n`) && fields[i - 1] !== "command")?.slice(name.length + 1);
  const [name, email] = [value("user.name"), value("user.email")];
  return {
    identity: { ...(name && { name }), ...(email && { email }) },
    excludesFile: await expand(gitDir, value("core.excludesfile")),
  };
}

const home = (): string => process.env.HOME ?? homedir();

async function expand(gitDir: string, path: string | undefined): Promise<string> {
  if (path === undefined) return join(process.env.XDG_CONFIG_HOME || join(home(), ".config"), "git", "ignore");
  if (path.startsWith("~/")) return join(home(), path.slice(2));
  if (isAbsolute(path) || path === "") return path;
  // Another user's home, or the place git is installed at: only git knows.
  const asked = await readUserConfig(gitDir, ["--type=path", "--get-all", "core.excludesFile"]);
  const fields = asked.stdout.toString("utf8").split("\0");
  const found = fields.findLast((_, i) => i % 2 === 1 && fields[i - 1] !== "command") ?? "";
  return isAbsolute(found) ? found : "";
}

const maxBytes = 1_000_000;

/** The patterns themselves; none where there is no such file, or none that can be read. */
export async function readExcludes({ excludesFile }: Pick<UserSettings, "excludesFile">): Promise<string> {
  if (excludesFile === "") return "";
  try {
    const found = await stat(excludesFile);
    return found.isFile() && found.size <= maxBytes ? await readFile(excludesFile, "utf8") : "";
  } catch (error) {
    // git warns of a file it may not read and goes on.
    if (isMissing(error) || (error instanceof Error && "code" in error && error.code === "EACCES")) return "";
    return namingFile(excludesFile)(error);
  }
}
