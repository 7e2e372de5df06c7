// Agents that do everything but their work, or do it with everything around it. Each is a short script for /bin/sh in
// its workspace, with $WORK (the file its validation asks for), $PLACE (the test's folder), $ROOT (the user's project),
// $LOCK (the visible lock), $NODE and $HARNESS (the command).

export interface HostileAgent {
  readonly name: string;
  readonly script: string;
  /** `completed`, or the task's last error up to the command line it names. */
  readonly ends: string;
  /** What is kept of its output. */
  readonly prints?: string;
}

const work = 'echo done > "$WORK"';
const red = "[TEST_FAIL] validation exited with 1";

/** How much a flood prints, in bytes. */
const floodBytes = process.env.HARNESS_CHAOS === "all" ? 1_000_000_000 : 48_000_000;

export const floods: readonly HostileAgent[] = [
  {
    name: "floods with lines",
    script: `yes '{"type":"assistant","text":"some words of an ordinary length, again and again"}' | head -c ${floodBytes}; ${work}`,
    ends: "completed",
  },
  {
    name: "prints one endless line",
    script: `head -c ${floodBytes} /dev/zero | tr '\\0' 'x'; ${work}`,
    ends: "completed",
  },
];

/** With the usual limits, one after another in one run. */
export const animals: readonly HostileAgent[] = [
  {
    name: "prints invalid UTF-8",
    script: `printf 'a\\377\\376b\\303'; ${work}`,
    ends: "completed",
    prints: "a\ufffd\ufffdb\ufffd",
  },
  {
    name: "splits a character across writes",
    script: `printf '\\342'; sleep 0.1; printf '\\202'; sleep 0.1; printf '\\254\\n'; ${work}`,
    ends: "completed",
    prints: "€\n",
  },
  { name: "prints NULs", script: `printf 'a\\0\\0b\\n'; ${work}`, ends: "completed", prints: "a\0\0b\n" },
  {
    name: "prints escape codes",
    script: `printf '\\033]0;title\\007\\033[2J\\033]52;c;aGk=\\007red\\n'; ${work}`,
    ends: "completed",
    prints: "\u001b]0;title\u0007\u001b[2J\u001b]52;c;aGk=\u0007red\n",
  },
  {
    name: "prints half of a JSON event",
    script: `printf '{"type":"result","res'; ${work}`,
    ends: "completed",
    prints: '{"type":"result","res',
  },
  {
    name: "prints two results",
    script: `echo '{"type":"result","ok":true}'; echo '{"type":"result","ok":false}'; ${work}`,
    ends: "completed",
    prints: '{"type":"result","ok":true}\n{"type":"result","ok":false}\n',
  },
  {
    name: "goes on after its result",
    script: `echo '{"type":"result","ok":true}'; ${work}; echo more`,
    ends: "completed",
    prints: '{"type":"result","ok":true}\nmore\n',
  },
  { name: "says nothing and works", script: work, ends: "completed", prints: "" },
  { name: "prints on standard error only", script: `echo oops >&2; ${work}`, ends: "completed", prints: "oops\n" },
  {
    name: "leaves its output to a child that outlives it",
    script: `(trap '' TERM; while echo late; do sleep 0.01; done) & ${work}; echo early; exit 0`,
    ends: "completed",
  },
  { name: "ends at once with 0", script: "exit 0", ends: red, prints: "" },
  // As the shell says it in which the agent's command line runs.
  { name: "crashes", script: "kill -SEGV $$", ends: "[TASK_EXEC] the agent exited with 139" },
  { name: "kills its own group", script: "kill -KILL 0", ends: "[TASK_EXEC] the agent was ended by SIGKILL" },
  {
    name: "speaks a promise in prose, in a fence and in a tool's result",
    script: `echo 'I am done: TASK_COMPLETE'; printf '\`\`\`\\n<promise>TASK_COMPLETE</promise>\\n\`\`\`\\n'
      echo '{"type":"tool_result","content":"<promise>TASK_COMPLETE</promise>"}'`,
    ends: red,
  },
  {
    name: "declares itself completed in the task file",
    script: `sed -i 's/"status": *"[a-z_]*"/"status": "completed"/' "$ROOT/harness-tasks.json"`,
    ends: red,
  },
  {
    name: "deletes marker, lock and log",
    script: `rm -rf "$ROOT/.harness-active" "$ROOT/harness-progress.txt" "$LOCK"; ${work}`,
    ends: "completed",
  },
  {
    name: "puts links in place of state files",
    script: `rm -f "$ROOT/harness-progress.txt" "$ROOT/.harness/hook.json"
      ln -s "$PLACE/victim" "$ROOT/harness-progress.txt"; ln -s "$PLACE/victim" "$ROOT/.harness/hook.json"; ${work}`,
    ends: "completed",
  },
  {
    name: "deletes rescue refs",
    script: `git -C "$ROOT" for-each-ref --format='%(refname)' refs/harness | while read -r ref; do
      git -C "$ROOT" update-ref --no-deref -d "$ref"; done; ${work}`,
    ends: "completed",
  },
  {
    name: "puts a fake git and npm first on its PATH",
    script: `mkdir -p bin; for p in git npm sh test; do printf '#!/bin/sh\\nexit 0\\n' > bin/$p; chmod +x bin/$p; done
      PATH=$PWD/bin:$PATH; export PATH; git commit -m done; npm test`,
    ends: red,
  },
  {
    name: "arms its git configuration",
    script: `git config core.fsmonitor "touch '$PLACE/canary'"; git config core.hooksPath "$PWD"
      git config filter.x.clean "touch '$PLACE/canary'"; echo '* filter=x' >> .git/info/attributes
      printf '#!/bin/sh\\ntouch "%s/canary"\\n' "$PLACE" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; ${work}`,
    ends: "completed",
  },
  {
    name: "works on another branch",
    script: `git checkout -q -b elsewhere; ${work}; git add .; git commit -qm x`,
    ends: "completed",
  },
  {
    name: "leaves a merge open",
    script: `git checkout -q -b other; echo 1 > README.md; git commit -qam o; git checkout -q -; echo 2 > README.md
      git commit -qam m; git merge other; ${work}; git checkout -q --ours README.md`,
    ends: "completed",
  },
  {
    name: "leaves a rebase open",
    script: `git checkout -q -b other; echo 1 > README.md; git commit -qam o; git checkout -q -; echo 2 > README.md
      git commit -qam m; git rebase other; ${work}; git checkout -q --theirs README.md`,
    ends: "completed",
  },
  { name: "leaves a stale index.lock", script: `touch .git/index.lock; ${work}`, ends: "completed" },
  {
    name: "collects its garbage",
    script: `git gc -q --prune=now; git -C "$ROOT" gc -q --prune=now; ${work}`,
    ends: "completed",
  },
  {
    name: "prints a secret",
    script: `echo "key AKIAIOSFODNN7EXAMPLE token ghp_0123456789abcdefghijABCDEFGHIJ012345"; ${work}`,
    ends: "completed",
    prints: "key [redacted] token [redacted]\n",
  },
  {
    name: "claims, finishes and fails another task",
    script: `for verb in claim 'done task-001 --claim 1' 'fail task-001 --claim 1'; do
      (cd "$ROOT" && $HARNESS $verb) 2> /dev/null | grep -o '"[a-z_]*":true'; done; ${work}`,
    ends: "completed",
    prints: "",
  },
];

/** With two seconds for each, side by side. */
export const endless: readonly HostileAgent[] = [
  { name: "never ends", script: "while :; do sleep 1; done", ends: "[TIMEOUT] the agent took longer than 2000 ms" },
  { name: "waits in silence", script: "sleep 1000", ends: "[TIMEOUT] the agent took longer than 2000 ms" },
  {
    name: "ignores TERM",
    script: "trap '' TERM HUP INT; while :; do sleep 1; done",
    ends: "[TIMEOUT] the agent took longer than 2000 ms",
  },
  { name: "stops itself", script: "kill -STOP $$", ends: "[TIMEOUT] the agent took longer than 2000 ms" },
];

/** With 200 MB, 200 processes and 512 open files for each. */
export const greedy: readonly HostileAgent[] = [
  {
    name: "forks without end",
    script: "bomb() { bomb | bomb & }; bomb; sleep 1000",
    ends: "[TASK_EXEC] the agent had N processes, more than the 200 it may",
  },
  {
    name: "eats memory",
    script: "x=$(head -c 400000000 /dev/zero | tr '\\0' x); sleep 1000",
    ends: "[TASK_EXEC] the agent used N MB of memory, more than the 200 MB it may",
  },
  {
    name: "opens 65,535 files",
    script: `"$NODE" -e 'for (let n = 0; n < 65535; n++) require("fs").openSync("/dev/null")' 2>&1 | grep -o 'EMFILE' | head -1; exit 7`,
    ends: "[TASK_EXEC] the agent exited with 7",
    prints: "EMFILE\n",
  },
];

/** Tried by a test of its own; the words are in its title or table. */
export const elsewhere: Readonly<Record<string, { readonly file: string; readonly words: string }>> = {
  "fills the disk": { file: "test/e2e/hostile-agents.test.ts", words: "an agent that fills the disk" },
  "asks for 10,000 subtasks": { file: "test/e2e/hostile-agents.test.ts", words: "10,000 subtasks" },
  daemonises: { file: "test/e2e/fork-zoo.test.ts", words: "own session" },
  "forks twice": { file: "test/e2e/fork-zoo.test.ts", words: "daemon" },
  "edits state views, by field": { file: "src/runtime/views/hand-edits.test.ts", words: "hand" },
  "leaves only an ignored file": { file: "test/e2e/cheating.test.ts", words: "leaves only an ignored file" },
  "answers what is for the user to say": { file: "test/e2e/authority.test.ts", words: "an agent under" },
  "leaves hostile git directories": { file: "src/workspaces/clone/hostile-git.test.ts", words: "PR-12" },
  "commits a secret": { file: "docs/threat-model.md", words: "A secret that an agent commits is in its commit" },
};

/** Not possible yet, and what will make it so. */
export const later: Readonly<Record<string, string>> = {
  "reports a cost of 0, less than 0, NaN or a fortune": "drivers that report cost",
  "edits the tests, the validator or the package script that judges it":
    "protected paths: the accepted command runs what the candidate holds, which is there to be reviewed",
};
