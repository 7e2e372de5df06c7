// Traps that lie beside the configuration: in a git directory that was moved or planted, and in the environment.
import { cp, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { configText, put, type Trap, type TrapPlace, touched } from "./git-trap.ts";

/** fsmonitor stands for whatever else a configuration can say. */
const poisoned = (payload: string): string => configText({ "core.fsmonitor": payload });
const status = [["status"]];
export const places: readonly Trap[] = [
  {
    name: "attributes of another file",
    group: "filters",
    config: ({ aside, payload }) => ({ "core.attributesFile": join(aside, "attributes"), "filter.o.clean": payload }),
    plant: ({ aside }) => put(join(aside, "attributes"), "*.md filter=o\n"),
    fire: [touched],
  },
  {
    name: "attributes of the git directory",
    group: "info/attributes",
    config: ({ payload }) => ({ "filter.o.clean": payload }),
    plant: ({ gitDir }) => put(join(gitDir, "info/attributes"), "* filter=o\n"),
    fire: [touched],
  },
  ...["include.path", "includeIf.gitdir:/**.path", "includeIf.onbranch:**.path"].map((key) => ({
    name: key,
    group: key === "includeIf.onbranch:**.path" ? key : "include",
    config: ({ aside }: TrapPlace) => ({ [key]: join(aside, "included") }),
    plant: ({ aside, payload }: TrapPlace) =>
      put(join(aside, "included"), poisoned(payload) + configText({ "filter.evil.clean": payload })),
    fire: [["status"], touched],
  })),
  {
    name: "configuration of the work tree",
    group: "extensions",
    config: () => ({ "core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true" }),
    plant: ({ gitDir, payload }) =>
      put(join(gitDir, "config.worktree"), poisoned(payload) + configText({ "filter.evil.clean": payload })),
    fire: [["status"], touched],
  },
  {
    name: ".git as a file that leads elsewhere",
    group: ".git file",
    async plant({ gitDir, aside, payload }) {
      await cp(gitDir, join(aside, "real.git"), { recursive: true });
      await rename(gitDir, join(aside, "was"));
      await writeFile(gitDir, `gitdir: ${join(aside, "real.git")}\n`);
      await writeFile(join(aside, "real.git/config"), poisoned(payload), { flag: "a" });
    },
    fire: status,
  },
  {
    name: "commondir",
    group: "commondir",
    async plant({ gitDir, aside, payload }) {
      await cp(gitDir, join(aside, "common.git"), { recursive: true });
      await writeFile(join(aside, "common.git/config"), poisoned(payload), { flag: "a" });
      await writeFile(join(gitDir, "commondir"), `${join(aside, "common.git")}\n`);
    },
    fire: status,
  },
  {
    name: ".git moved away and made anew",
    group: "rebuilt .git",
    async plant({ gitDir, workTree, aside, payload }) {
      const was = join(workTree, `was-${basename(aside)}`);
      await rename(gitDir, was);
      await cp(was, gitDir, { recursive: true });
      await writeFile(join(gitDir, "config"), poisoned(payload), { flag: "a" });
    },
    fire: status,
  },
];

const inEnvironment = (
  name: string,
  variables: (run: string) => Record<string, string>,
  ...fire: Trap["fire"]
): Trap => ({
  name: `environment ${name}`,
  group: "environment",
  environment: async ({ payload }) => variables(payload),
  fire,
});
const counted = (settings: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries([
    ["GIT_CONFIG_COUNT", `${Object.keys(settings).length}`],
    ...Object.entries(settings).flatMap(([key, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, key],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  ]);
export const surroundings: readonly Trap[] = [
  inEnvironment("GIT_CONFIG_COUNT", (run) => counted({ "core.fsmonitor": run }), ["status"]),
  inEnvironment("GIT_CONFIG_PARAMETERS", (run) => ({ GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${run}'` }), ["status"]),
  inEnvironment("GIT_EXTERNAL_DIFF", (run) => ({ GIT_EXTERNAL_DIFF: run }), ["diff"]),
  inEnvironment("GIT_SSH_COMMAND", (run) => ({ GIT_SSH_COMMAND: run }), ["ls-remote", "ssh://h.invalid/x"]),
  inEnvironment("GIT_SSH", (run) => ({ GIT_SSH: run }), ["ls-remote", "ssh://h.invalid/x"]),
  inEnvironment("GIT_PROXY_COMMAND", (run) => ({ GIT_PROXY_COMMAND: run }), ["ls-remote", "git://h.invalid/x"]),
  inEnvironment("GIT_ASKPASS", (run) => ({ GIT_ASKPASS: run }), ["credential", "fill"]),
  inEnvironment("SSH_ASKPASS", (run) => ({ SSH_ASKPASS: run }), ["credential", "fill"]),
  inEnvironment("GIT_EDITOR", (run) => ({ GIT_EDITOR: run }), ["commit", "--all"]),
  inEnvironment("VISUAL", (run) => ({ VISUAL: run, TERM: "vt100" }), ["commit", "--all"]),
  { ...inEnvironment("GIT_PAGER", (run) => ({ GIT_PAGER: run }), ["log"]), terminal: true },
  {
    name: "environment GIT_EXEC_PATH",
    group: "environment",
    async environment({ aside, payload }) {
      for (const name of ["git", "git-checkout--worker", "git-evil", "sh"])
        await put(join(aside, "exec", name), `#!/bin/sh\n'${payload}'\n`, 0o755);
      return { GIT_EXEC_PATH: join(aside, "exec") };
    },
    fire: [["evil"]],
  },
  {
    name: "environment GIT_TEMPLATE_DIR",
    group: "environment",
    async environment({ aside, payload }) {
      for (const name of ["post-checkout", "reference-transaction", "post-index-change"])
        await put(join(aside, "template/hooks", name), `#!/bin/sh\n'${payload}'\n`, 0o755);
      return { GIT_TEMPLATE_DIR: join(aside, "template") };
    },
    fire: [["clone", "--quiet", ".", "../aside/cloned"]],
  },
  {
    name: "environment GIT_DIR",
    group: "GIT_DIR",
    async environment({ gitDir, aside, payload }) {
      await cp(gitDir, join(aside, "foreign.git"), { recursive: true });
      await writeFile(join(aside, "foreign.git/config"), poisoned(payload), { flag: "a" });
      return { GIT_DIR: join(aside, "foreign.git"), GIT_WORK_TREE: aside };
    },
    fire: status,
  },
  {
    name: "configuration of the user",
    group: "GIT_DIR",
    async environment({ aside, payload }) {
      await put(join(aside, "home/.gitconfig"), poisoned(payload) + configText({ "filter.evil.clean": payload }));
      return { HOME: join(aside, "home") };
    },
    fire: status,
  },
  {
    name: "configuration of the user, elsewhere",
    group: "PATH",
    async environment({ aside, payload }) {
      await put(join(aside, "xdg/git/config"), poisoned(payload));
      return { XDG_CONFIG_HOME: join(aside, "xdg") };
    },
    fire: status,
  },
  {
    name: "configuration of the system",
    group: "GIT_DIR",
    async environment({ aside, payload }) {
      await put(join(aside, "system"), poisoned(payload) + configText({ "filter.evil.clean": payload }));
      return { GIT_CONFIG_SYSTEM: join(aside, "system") };
    },
    fire: status,
  },
  {
    name: "hook for packing, of the user",
    group: "PATH",
    async environment({ aside, payload }) {
      await put(join(aside, "home/.gitconfig"), configText({ "uploadpack.packObjectsHook": payload }));
      return { HOME: join(aside, "home") };
    },
    fire: [["clone", "--quiet", "--no-local", ".", "../aside/cloned"]],
  },
  {
    name: "programs in the work tree",
    group: "PATH",
    async plant({ workTree, payload }) {
      for (const name of ["git", "sh", "less", "ssh", "gpg"])
        await put(join(workTree, name), `#!/bin/sh\n'${payload}'\n`, 0o755);
    },
    environment: async () => ({ PATH: `.::bin:${process.env.PATH ?? ""}` }),
    fire: status,
  },
];
