// Ways in which a repository, a configuration or an environment makes git run a program of somebody's choice. Each
// comes with plain calls that show it at work; whoever starts git runs its own calls through all of them.
import { chmod, cp, mkdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface TrapPlace {
  readonly gitDir: string;
  readonly workTree: string;
  /** A program that leaves a trace. */
  readonly payload: string;
  /** A folder of this trap's own, outside of the repository. */
  readonly aside: string;
  /** Another repository, to fetch from. */
  readonly other: string;
}

export interface Trap {
  readonly name: string;
  /** Traps that leave each other alone – no setting of theirs outranks another's – are planted together. */
  readonly group: string;
  readonly config?: (place: TrapPlace) => Readonly<Record<string, string>>;
  readonly plant?: (place: TrapPlace) => Promise<void>;
  /** What the environment of the process that starts git says; may write files of its own. */
  readonly environment?: (place: TrapPlace) => Promise<Readonly<Record<string, string>>>;
  /** Before the calls, and only for them. */
  readonly prepare?: (place: TrapPlace) => Promise<void>;
  /** Calls of plain git; the trap is real if these run the payload. */
  readonly fire: readonly (readonly string[])[];
  /** Some run only where somebody looks. */
  readonly terminal?: true;
  /** Nothing can be done under it, and that is said. */
  readonly refused?: true;
  /** The first git that knows it. */
  readonly since?: string;
}

const put = async (file: string, text: string | Buffer, mode = 0o644): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
};

/** Values are quoted, so that any text is one. */
export const configText = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([key, value]) => {
      const [section, name, variable] = [
        key.split(".", 1)[0],
        key.slice(key.indexOf(".") + 1, Math.max(key.lastIndexOf("."), key.indexOf(".") + 1)),
        key.slice(key.lastIndexOf(".") + 1),
      ];
      const escaped = (text: string): string => text.replace(/[\\"]/g, "\\$&");
      const header = name === "" ? `[${section}]` : `[${section} "${escaped(name)}"]`;
      return `${header}\n\t${variable} = "${escaped(value)}"\n`;
    })
    .join("");

const commit = ["commit", "--quiet", "--all", "--message=x"];
const hook = (name: string, fire: Trap["fire"], more: Partial<Trap> = {}): Trap => ({
  name: `hook ${name}`,
  group: "many",
  plant: ({ gitDir, payload }) => put(join(gitDir, "hooks", name), `#!/bin/sh\n'${payload}'\n`, 0o755),
  fire,
  ...more,
});
const setting = (
  name: string,
  group: string,
  config: (payload: string, place: TrapPlace) => Readonly<Record<string, string>>,
  ...fire: Trap["fire"]
): Trap => ({ name, group, config: (place) => config(place.payload, place), fire });

const push = ["push", "--quiet", ".", "HEAD:refs/heads/pushed"];
const patch = async ({ workTree, aside }: TrapPlace): Promise<void> =>
  put(
    join(aside, "a.patch"),
    `From ${"0".repeat(40)} Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: x\n\n---\ndiff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+${workTree.length}\n--\n2.0\n`,
  );
const am = ["am", "--quiet", "../aside/a.patch"];

const hooks: readonly Trap[] = [
  hook("pre-commit", [commit]),
  hook("prepare-commit-msg", [commit]),
  hook("commit-msg", [commit]),
  hook("post-commit", [commit]),
  hook("post-checkout", [["switch", "--quiet", "--force-create", "fresh"]]),
  hook("post-index-change", [["add", "one.txt"]]),
  hook("reference-transaction", [["update-ref", "refs/heads/fresh", "HEAD"]]),
  hook("post-merge", [["merge", "--quiet", "--no-edit", "ahead"]]),
  hook("pre-merge-commit", [["merge", "--quiet", "--no-ff", "--no-edit", "ahead"]]),
  hook("post-rewrite", [["commit", "--quiet", "--amend", "--no-edit"]]),
  hook("pre-rebase", [["rebase", "--quiet", "--autostash", "ahead"]]),
  hook("pre-push", [push]),
  hook("pre-receive", [push]),
  hook("update", [push]),
  hook("post-receive", [push]),
  hook("post-update", [push]),
  hook("proc-receive", [push], { config: () => ({ "receive.procReceiveRefs": "refs/heads" }) }),
  hook("push-to-checkout", [["push", "--quiet", ".", "ahead:main"]], {
    config: () => ({ "receive.denyCurrentBranch": "updateInstead" }),
  }),
  hook("applypatch-msg", [am], { prepare: patch }),
  hook("pre-applypatch", [am], { prepare: patch }),
  hook("post-applypatch", [am], { prepare: patch }),
  hook("pre-auto-gc", [["-c", "gc.auto=1", "-c", "gc.autoDetach=false", "gc", "--auto"]], {
    async prepare({ gitDir }) {
      for (const digit of "123") await put(join(gitDir, "objects/17", digit.repeat(38)), "");
    },
  }),
];

const touched = ["add", "--renormalize", "."];
const programs: readonly Trap[] = [
  setting("fsmonitor", "many more", (run) => ({ "core.fsmonitor": run }), ["status"]),
  {
    ...hook("post-checkout", [["switch", "--quiet", "--force-create", "fresh"]]),
    name: "hooksPath",
    group: "many more",
    config: ({ aside }) => ({ "core.hooksPath": join(aside, "hooks") }),
    async plant({ aside, payload }) {
      for (const name of ["post-checkout", "post-index-change", "reference-transaction", "post-commit"])
        await put(join(aside, "hooks", name), `#!/bin/sh\n'${payload}'\n`, 0o755);
    },
  },
  {
    ...setting(
      "hook by configuration",
      "many",
      (run) => ({ "hook.mine.event": "reference-transaction", "hook.mine.command": run }),
      ["update-ref", "refs/heads/fresh", "HEAD"],
    ),
    since: "2.54",
  },
  setting("filter clean", "many", (run) => ({ "filter.evil.clean": run }), touched),
  setting(
    "filter clean, required",
    "filters",
    (run) => ({ "filter.evil.clean": run, "filter.evil.required": "true" }),
    touched,
  ),
  setting("filter smudge", "many", (run) => ({ "filter.evil.smudge": run }), ["checkout", "ahead"]),
  setting("filter process", "many more", (run) => ({ "filter.evil.process": run }), touched),
  {
    ...setting("filter with signs in its name", "odd filter", (run) => ({ 'filter.e.v=i"l.clean': run }), touched),
    plant: ({ gitDir }) => put(join(gitDir, "info/attributes"), '* filter=e.v=i"l\n'),
  },
  {
    name: "filter with a name that is no text",
    group: "latin-1 filter",
    refused: true,
    async plant({ gitDir, payload }) {
      const name = Buffer.from([0xe9, 0xfc]);
      const file = join(gitDir, "config.latin1");
      const header = Buffer.concat([Buffer.from('[filter "'), name, Buffer.from('"]\n')]);
      await put(file, Buffer.concat([header, Buffer.from(`\tclean = ${payload}\n`)]));
      await put(join(gitDir, "info/attributes"), Buffer.concat([Buffer.from("* filter="), name, Buffer.from("\n")]));
    },
    config: () => ({ "include.path": "config.latin1" }),
    fire: [touched],
  },
  setting("textconv", "many", (run) => ({ "diff.evil.textconv": run }), ["log", "-p", "-1", "ahead"]),
  setting("diff driver", "many", (run) => ({ "diff.evil.command": run }), ["diff"]),
  setting("external diff", "many", (run) => ({ "diff.external": run }), ["diff"]),
  setting("merge driver", "many", (run) => ({ "merge.evil.driver": run }), [
    "merge-tree",
    "--write-tree",
    "ahead",
    "aside",
  ]),
  setting(
    "merge driver for every file",
    "many more",
    (run) => ({ "merge.default": "plain", "merge.plain.driver": run }),
    ["merge-tree", "--write-tree", "plain-one", "plain-two"],
  ),
  { ...setting("pager", "many", (run) => ({ "core.pager": run }), ["log"]), terminal: true },
  { ...setting("pager of a verb", "many", (run) => ({ "pager.log": run }), ["log"]), terminal: true },
  setting("alias", "many", (run) => ({ "alias.lsf": `!${run}`, "alias.ls-files": `!${run}` }), ["lsf"]),
  setting("editor", "many", (run) => ({ "core.editor": run }), ["commit", "--all"]),
  setting("editor of sequences", "many", (run) => ({ "sequence.editor": run }), [
    "rebase",
    "--autostash",
    "--interactive",
    "--root",
  ]),
  setting("gpg", "many", (run) => ({ "gpg.program": run, "commit.gpgSign": "true" }), commit),
  setting(
    "ssh signatures",
    "many more",
    (run) => ({ "gpg.format": "ssh", "gpg.ssh.defaultKeyCommand": run, "commit.gpgSign": "true" }),
    commit,
  ),
  setting("signed tags", "many", (run) => ({ "gpg.program": run, "tag.gpgSign": "true" }), ["tag", "-m", "x", "t1"]),
  setting("trailer command", "many", (run) => ({ "trailer.x.command": run }), ["interpret-trailers"]),
  setting("trailer cmd", "many", (run) => ({ "trailer.y.cmd": run }), ["interpret-trailers", "--trailer", "y: z"]),
  setting("difftool", "many", (run) => ({ "difftool.evil.cmd": run }), ["difftool", "-y", "-t", "evil"]),
  {
    ...setting("filter of interactive differences", "many", (run) => ({ "interactive.diffFilter": run }), [
      "add",
      "-p",
    ]),
    terminal: true,
  },
  setting("ssh command", "many", (run) => ({ "core.sshCommand": run }), ["ls-remote", "ssh://h.invalid/x"]),
  setting("proxy of git", "many", (run) => ({ "core.gitProxy": run }), ["ls-remote", "git://h.invalid/x"]),
  setting("credential helper", "many", (run) => ({ "credential.helper": `!${run}` }), ["credential", "fill"]),
  setting("credential helper of a place", "many", (run) => ({ "credential.https://h.invalid.helper": `!${run}` }), [
    "credential",
    "fill",
  ]),
  setting("askpass", "many", (run) => ({ "core.askPass": run }), ["credential", "fill"]),
  setting(
    "transport by program",
    "many",
    (run) => ({ "protocol.ext.allow": "always", "remote.ext.url": `ext::${run}` }),
    ["fetch", "ext"],
  ),
  setting(
    "address rewritten to a program",
    "extensions",
    (run) => ({ "protocol.ext.allow": "always", [`url.ext::${run} .insteadOf`]: "/" }),
    ["ls-remote", "/anywhere"],
  ),
  setting(
    "upload-pack of a remote",
    "many",
    (run, { other }) => ({ "remote.up.url": other, "remote.up.uploadpack": run }),
    ["fetch", "up"],
  ),
  setting(
    "receive-pack of a remote",
    "many",
    (run, { other }) => ({ "remote.rp.url": other, "remote.rp.receivepack": run }),
    ["push", "rp", "main"],
  ),
  setting(
    "missing objects of a partial clone",
    "extensions",
    (run, { other }) => ({
      "core.repositoryFormatVersion": "1",
      "extensions.partialClone": "lazy",
      "remote.lazy.url": other,
      "remote.lazy.promisor": "true",
      "remote.lazy.uploadpack": run,
    }),
    ["cat-file", "-p", "1".repeat(40)],
  ),
  {
    ...setting("references of alternates", "many", (run) => ({ "core.alternateRefsCommand": run }), [
      "rev-list",
      "--alternate-refs",
    ]),
    plant: ({ gitDir, other }) => put(join(gitDir, "objects/info/alternates"), `${join(other, "objects")}\n`),
  },
  {
    ...setting(
      "update command of a submodule",
      "many",
      (run, { other }) => ({ "submodule.sub.url": other, "submodule.sub.update": `!${run}` }),
      ["add", ".gitmodules"],
      ["update-index", "--add", "--cacheinfo", "160000,OTHER,sub"],
      ["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"],
    ),
    prepare: ({ workTree, other }) =>
      put(join(workTree, ".gitmodules"), `[submodule "sub"]\n\tpath = sub\n\turl = ${other}\n`),
  },
];

/** fsmonitor stands for whatever else a configuration can say. */
const poisoned = (payload: string): string => configText({ "core.fsmonitor": payload });
const status = [["status"]];
const places: readonly Trap[] = [
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
const surroundings: readonly Trap[] = [
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

export const traps: readonly Trap[] = [...hooks, ...programs, ...places, ...surroundings];
