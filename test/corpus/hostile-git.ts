// Ways in which a repository, a configuration or an environment makes git run a program of somebody's choice. Each
// comes with plain calls that show it at work; whoever starts git runs its own calls through all of them.
import { join } from "node:path";
import { put, type Trap, type TrapPlace, touched } from "./git-trap.ts";
import { places, surroundings } from "./hostile-git-places.ts";

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

export const traps: readonly Trap[] = [...hooks, ...programs, ...places, ...surroundings];
