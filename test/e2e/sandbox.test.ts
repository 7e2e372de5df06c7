// The sandbox as people meet it: which one a run has, what it keeps from programs, and that it is never silently less.
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestProject, type TestProject, withoutBwrap } from "./project.ts";
import { createSandboxedProject, inSandbox, withAgent } from "./sandboxed.ts";
import { harnessCommand, openTerminal } from "./tmux.ts";

const unconfined = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';
const agreed = "there is no sandbox on this machine";

/** A program of this name comes first on the PATH. */
function fakeBwrap(project: TestProject, script: string): void {
  project.write({ "../fake/bwrap": `#!/bin/sh\n${script}\n` });
  chmodSync(join(project.place, "fake/bwrap"), 0o755);
  project.env.PATH = `${join(project.place, "fake")}:${project.env.PATH}`;
}

const committed = (project: TestProject, branch: string, file: string): string =>
  project.git("show", `${branch}:${file}`);

inSandbox(
  "PR-10: an agent writes its workspace and nothing else, reads the checkout, and finds an empty home",
  async () => {
    const project = createSandboxedProject("auto");
    const run = await withAgent(
      project,
      [
        '{ echo "home: $(ls -A "$HOME")"; echo "state: $(ls -A "$HARNESS_STATE_HOME" 2>&1 | wc -l)"',
        'cat "$HARNESS_STATE_ROOT/README.md"; (echo x > "$HARNESS_STATE_ROOT/planted") 2> /dev/null && echo planted',
        "git log --format=%s; } > seen.txt; git add seen.txt; git commit --quiet --message work",
      ].join("\n"),
      "test -s seen.txt",
    );
    const end = await project.must(...run);
    expect(end.stderr).toContain(
      "\nsandbox  bubblewrap: the agent writes its workspace only, your home is hidden, network on\n",
    );
    // The way to its own workspace is all that is left of the state home.
    expect(committed(project, await project.branch(), "seen.txt")).toBe("home: \nstate: 1\n# Project\nbase");
    expect(existsSync(join(project.root, "planted"))).toBe(false);
    const status = await project.must("status");
    expect(status.stdout).toContain("\nsandbox   bubblewrap\n");
    expect(JSON.parse((await project.must("status", "--json")).stdout).sandbox).toBe("bubblewrap");
    expect((await project.must("logs")).stdout).toContain(" WARN sandbox is bubblewrap from now on\n");
  },
);

inSandbox("PR-10: set-up, validation and cleanup are kept in as the agent is", async () => {
  const project = createSandboxedProject();
  const look = 'test ! -e "$HOME/note" && test ! -w "$CHECKOUT/README.md"';
  project.env.CHECKOUT = project.root;
  project.write({ ".harness/config.json": JSON.stringify({ setup: { command: `${look} && echo made > made.txt` } }) });
  const run = await withAgent(project, "echo a > a.txt", `${look} && test -f a.txt && test -f made.txt`);
  expect((await project.harness(...run, "--trust-all")).code).toBe(0);
});

inSandbox("PR-10: what the user declares of the home is there, to read or to write, and no key beside it", async () => {
  const home = [{ path: "note" }, { path: "kept", access: "write" }];
  const project = createSandboxedProject({ mode: "required", home });
  project.write({ "../home/kept/old": "old\n" });
  const run = await withAgent(
    project,
    '(echo x >> "$HOME/note") 2> /dev/null; echo new > "$HOME/kept/new"; { cat "$HOME/note"; ls -A "$HOME"; } > seen.txt',
  );
  await project.must(...run);
  expect(committed(project, await project.branch(), "seen.txt")).toBe("NOTE\nkept\nnote");
  expect(readFileSync(join(project.place, "home/kept/new"), "utf8")).toBe("new\n");
});

inSandbox("PR-10: network off is no network, and is shown", async () => {
  const project = createSandboxedProject({ mode: "required", network: "off" });
  const run = await withAgent(project, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' > seen.txt");
  expect((await project.must(...run)).stderr).toContain("network off\n");
  expect(committed(project, await project.branch(), "seen.txt")).toBe("lo");
  expect(JSON.parse((await project.must("status", "--json")).stdout).sandbox).toBe("bubblewrap, no network");
});

inSandbox("PR-10: a claim and what is handed in are set up and judged in it, too", async () => {
  const project = createSandboxedProject();
  await withAgent(project, "", 'test ! -e "$HOME/note" && test -f a.txt');
  const { workspace, task_id, fence } = JSON.parse((await project.must("claim")).stdout);
  project.write({ [`../state/${workspace.split("/state/")[1]}/a.txt`]: "a\n" });
  project.env.HARNESS_FENCE = String(fence);
  expect(JSON.parse((await project.must("done", task_id)).stdout)).toMatchObject({ done: true });
});

test("PR-10: where there is none a run waits for a person's consent, once for a machine and a reason", async () => {
  const project = createTestProject();
  project.configureUser({ sandbox: "auto" });
  const run = await withAgent(project, "echo a > a.txt");
  const path = project.env.PATH ?? "";
  project.env.PATH = withoutBwrap(project);
  const refused = await project.harness(...run);
  expect([refused.code, refused.stdout]).toEqual([8, ""]);
  expect(refused.stderr).toContain(
    `error: cannot run – ${agreed} (bubblewrap is not installed), and nobody agreed yet`,
  );
  expect(refused.stderr).toContain("read your files: keys, tokens, mail, other projects");
  expect(refused.stderr).toContain(
    "install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap …); or agree once for this machine: harness sandbox consent; or for this run: --sandbox off",
  );
  expect((await project.must("logs")).stdout).not.toContain("LOCK");
  // A verb has no such flag.
  expect(JSON.parse((await project.must("claim")).stdout).next).toBe(
    "install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap …); or agree once for this machine: harness sandbox consent",
  );

  expect((await project.harness("sandbox", "consent")).code).toBe(8);
  expect((await project.must("sandbox", "consent", "--yes")).stdout).toContain("because bubblewrap is not installed");
  // Another reason is another question.
  project.env.PATH = path;
  fakeBwrap(project, unconfined);
  const other = await project.harness(...run);
  expect([other.code, other.stderr.includes("a program in it could read the state home")]).toEqual([8, true]);
  project.env.PATH = withoutBwrap(project);
  const end = await project.must(...run);
  expect(end.stderr).toContain("(bubblewrap is not installed, and you agreed)\n");
  await project.must("sandbox", "revoke");
  await project.must("add", "B", "--validate", "true");
  expect((await project.harness(...run)).code).toBe(8);
});

inSandbox("PR-10: who agreed to none gets one all the same when there is one", async () => {
  const project = createTestProject();
  project.configureUser({ sandbox: "auto" });
  const run = await withAgent(project, "echo a > a.txt");
  const path = project.env.PATH ?? "";
  project.env.PATH = withoutBwrap(project);
  await project.must("sandbox", "consent", "--yes");
  project.env.PATH = path;
  expect((await project.must(...run)).stderr).toContain("sandbox  bubblewrap:");
});

test.for([
  ["that ends at once", "exit 1", "bwrap did not run what it was given (exited, exit 1)"],
  ["that keeps nothing in", unconfined, "in a trial, a program in it could read the state home"],
])("PR-10: a bwrap %s is none: required refuses (10), auto waits (8), and nothing ran", async ([, script, why]) => {
  const project = createTestProject();
  const run = await withAgent(project, "touch ran");
  fakeBwrap(project, script ?? "");
  const required = await project.harness(...run, "--sandbox", "required");
  expect([required.code, required.stderr]).toEqual([
    10,
    expect.stringContaining(`--sandbox: sandbox is "required", and there is none: ${why}\n`),
  ]);
  const auto = await project.harness(...run, "--sandbox", "auto");
  expect([auto.code, auto.stderr]).toEqual([8, expect.stringContaining(`${agreed} (${why})`)]);
  expect((await project.must("logs")).stdout).not.toContain("LOCK");
});

test("PR-10: worktree and in-place switch auto off, which is said, and are refused where it is required", async () => {
  for (const [workspace, place] of [
    ["worktree", "a work tree of your repository"],
    ["in-place", "your own checkout"],
  ] as const) {
    const project = createTestProject();
    project.configureUser({ sandbox: "required" });
    const run = [...(await withAgent(project, "echo a > a.txt")), "--workspace", workspace];
    const refused = await project.harness(...run);
    expect([refused.code, refused.stderr]).toEqual([
      10,
      expect.stringContaining(`sandbox is "required", and there is none around ${place}\n`),
    ]);
    const end = await project.must(...run, "--sandbox", "auto");
    expect(end.stderr).toContain(
      `sandbox  none: the agent has all your rights on this machine (not around ${place})\n`,
    );
  }
});

test("PR-10: in a terminal the question says what an agent can reach; only a yes counts, and it is asked once", async () => {
  const project = createTestProject();
  project.configureUser({ sandbox: "auto" });
  const run = await withAgent(project, "echo a > a.txt");
  const command = `PATH='${withoutBwrap(project)}' ${harnessCommand(run.map((word) => `'${word}'`).join(" "))}`;
  const terminal = openTerminal(project, `${command}; ${command}`);
  await terminal.shows("has all your rights on this machine");
  terminal.enter("n");
  await terminal.shows("error: cannot run – there is no sandbox on this machine");
  await terminal.shows(/reason is another\?[\s\S]*reason is another\?/);
  terminal.enter("y");
  await terminal.shows("ended: everything is done");
  const file = join(project.place, "home/.local/share/harness/sandbox.json");
  expect(JSON.parse(readFileSync(file, "utf8")).consents).toMatchObject([{ reason: "bubblewrap is not installed" }]);
});
