// Programs that a configuration names in sections of its own making: filters, merge drivers and, since git 2.54, hooks.
// No setting switches them off at once, so they are looked up and switched off by name.

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { namingFile } from "../kit/file-error.ts";
import { isMissing, kindOf } from "./files.ts";
import { refuse } from "./refusal.ts";

/** For `git config --get-regexp`. */
export const namedPrograms = "^(filter|hook|merge)\\.";

/** False only if no such section can be in force: git is asked in every other case. */
export async function mayNamePrograms(gitDir: string): Promise<boolean> {
  // A linked work tree: the configuration is elsewhere.
  if ((await kindOf(join(gitDir, "commondir"))) !== "missing") return true;
  for (const file of ["config", "config.worktree"]) {
    if (/\[\s*(include|filter|hook|merge)/i.test(readOrEmpty(join(gitDir, file)))) return true;
  }
  return false;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    return isMissing(error) ? "" : namingFile(path)(error);
  }
}

/** The environment that outranks every file, from what git listed with `-z --name-only`. */
export function disarming(listed: Buffer): NodeJS.ProcessEnv {
  // An environment holds text: a name that is none could not be switched off.
  if (!isUtf8(listed))
    refuse({
      kind: "env_setup",
      message: "the git configuration names a filter, hook or merge driver in bytes that are not UTF-8",
      remedy: "Rename it: `git config --list --show-origin` says where it is.",
    });
  const settings = new Map<string, string>();
  for (const key of listed.toString("utf8").split("\0").slice(0, -1)) {
    const [section, name = ""] = [key.split(".", 1)[0], key.slice(key.indexOf(".") + 1, key.lastIndexOf("."))];
    if (section === "hook") settings.set(`hook.${name}.enabled`, "false");
    else if (section === "filter") settings.set(key, key.endsWith(".required") ? "false" : "");
    // An empty driver would succeed and keep one side only; this one is a conflict.
    else if (key.endsWith(".driver")) settings.set(key, "false");
  }
  const pairs = [...settings].flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return { GIT_CONFIG_COUNT: `${settings.size}`, ...Object.fromEntries(pairs) };
}
