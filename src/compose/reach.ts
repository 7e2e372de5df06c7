// What a program of an attempt may reach in a sandbox: the machine to read, its workspace to write, and of the user's
// home and of our own state nothing but what is named here.
import { statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { HomePath, SandboxWish } from "../protocol/sandbox.ts";
import { trustFile, userConfigFile } from "../runtime/place.ts";
import type { Environment, Project } from "../runtime/project.ts";
import type { Reach } from "../sandboxes/sandbox.ts";

export interface ReachOptions {
  readonly project: Project;
  readonly env: Environment;
  /** Of the user's checkout and repository. */
  readonly repository: readonly string[];
  readonly wish: SandboxWish;
  /** What the driver declared. */
  readonly home: readonly HomePath[];
  /** Files that the user's own words name, such as a script that is the agent. */
  readonly files: readonly string[];
}

/** Sockets, locks and temporary files of everybody on the machine. */
const shared = ["/tmp", "/var/tmp", "/run", "/var/run", "/home", "/root"];

/** Programs and nothing else: these hold no login. From the home directory. */
const toolchains = [
  ...[".nvm/versions", ".volta", ".fnm", ".local/share/fnm", ".local/share/mise/installs", ".asdf/installs"],
  ...[".pyenv", ".rbenv", ".rustup", ".sdkman/candidates", ".deno/bin", ".bun/bin", ".local/share/uv/python"],
  ...[".local/share/claude/versions", ".local/share/pnpm"],
];

/** Hidden even where the home itself is shown, because the checkout is the home or lies above these. */
const secrets = [
  ...[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".password-store",
  ],
  ...[
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials.toml",
    ".vault-token",
  ],
  ...[".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium"],
];

/** Without the workspace, which differs from program to program. */
export function reachOf({ project, env, repository, wish, home, files }: ReachOptions): Reach {
  const homes = [...new Set([env.HOME ?? homedir(), homedir()])].filter(isAbsolute);
  const own = homes[0] ?? "/";
  const states = dirname(project.home);
  const ours = [states, dirname(userConfigFile(env)), dirname(trustFile(env))];
  const declared = [...home, ...wish.home];
  const paths = (access: HomePath["access"]): readonly string[] =>
    declared.filter((each) => each.access === access).map(({ path }) => join(own, path));
  const programs = (env.PATH ?? "").split(":").filter((folder) => isAbsolute(folder) && !isAbove(folder, homes));
  return {
    hidden: [...shared, tmpdir(), ...homes, ...homes.flatMap((top) => secrets.map((path) => join(top, path))), ...ours],
    read: [
      ...[project.root, ...repository, ...files, ...programs, ...installed(homes)],
      ...homes.flatMap((top) => toolchains.map((path) => join(top, path))),
      ...nameServers,
      ...paths("read"),
    ].filter((path) => isThere(path) && !isAbove(path, ours)),
    write: paths("write").filter(isThere),
    network: wish.network === "on",
    // What they name is hidden: a program must not stumble over it.
    env: { TMPDIR: "/tmp", XDG_RUNTIME_DIR: null, SSH_AUTH_SOCK: null, DBUS_SESSION_BUS_ADDRESS: null },
  };
}

/** Whether the path is one of the places or above one: to show it would show all of that place. */
const isAbove = (path: string, places: readonly string[]): boolean =>
  places.some((place) => place === path || place.startsWith(path === "/" ? "/" : `${path}/`));

/** The Node that runs us, and this package: the program's own verbs work inside, too. */
function installed(homes: readonly string[]): readonly string[] {
  const bin = dirname(process.execPath);
  const node = basename(bin) === "bin" && !isAbove(dirname(bin), homes) ? dirname(bin) : process.execPath;
  return [node, ...packageAbove(import.meta.dirname)];
}

function packageAbove(directory: string): readonly string[] {
  if (isThere(join(directory, "package.json"))) return [directory];
  return dirname(directory) === directory ? [] : packageAbove(dirname(directory));
}

/** Where /etc/resolv.conf may lead to. */
const nameServers = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf"];

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Files that a command line names by an absolute path. */
export const filesNamedIn = (command: string): readonly string[] =>
  command
    .split(/[\s'"=;|&<>()]+/)
    .filter((word) => isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true);
