// PR-15 end to end: canaries in everything that programs and people can say, then every byte that is left is searched.
import { lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { recordNumbers } from "../numbers.ts";
import { createTestProject, type Ended, type TestProject } from "./project.ts";

/** Where each comes from: a variable, the project's .env, a file of the user's home, a remote's address. */
const canaries = {
  variable: "c4n4ry-variable-0001",
  env: 'c4n4ry-"dot-env"-0002',
  home: "c4n4ry-npmrc-00000003",
  remote: "c4n4ry-remote-000004",
} as const;
const all = Object.values(canaries);

const written = (value: string): readonly string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  Buffer.from(value).toString("base64").replace(/=+$/, "").slice(0, -1),
  encodeURIComponent(value),
  Buffer.from(value).toString("hex"),
];

interface Found {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Buffer | null;
}

function everythingUnder(folder: string): Found[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): Found[] => {
    const path = join(folder, entry.name);
    const mode = lstatSync(path).mode & 0o777;
    if (entry.isDirectory()) return [{ path, mode, bytes: null }, ...everythingUnder(path)];
    return entry.isFile() ? [{ path, mode, bytes: readFileSync(path) }] : [];
  });
}

const rounds = 5;

/** Says every canary in many pieces and spellings, on both streams, in marks, in what it leaves, and in its last words. */
const loud = (rounds: number): string => `
say() { printf '%s' "$1" | sed 's/./&\\n/3' | while IFS= read -r part; do printf '%s' "$part"; done; echo; }
n=0; while [ $n -lt ${rounds} ]; do n=$((n+1))
while IFS= read -r c; do
  echo 9 >> "$CANARIES.count"
  echo "plain $c $n"; echo "err $c" >&2; say "$c"; printf '%s' "$c" | base64; printf '%s' "$c" | od -An -tx1 | tr -d ' \\n'; echo
  printf '%s' "$c" | cut -c1-9 | tr -d '\\n'; printf '%s\\n' "$c" | cut -c10-
  echo "CHECKPOINT step=1/9 \\"did $c\\""
  printf 'https://me:%s@host/x Authorization: Basic %s\\n' "$c" "$(printf 'me:%s' "$c" | base64)"
done < "$CANARIES"
done
`;

async function scene(): Promise<TestProject> {
  const project = createTestProject({ "README.md": "# Project\n", ".gitignore": ".env\n" });
  project.env.MY_API_TOKEN = canaries.variable;
  project.env.TMPDIR = join(project.place, "tmp");
  mkdirSync(project.env.TMPDIR);
  project.pass({ CANARIES: join(project.place, "canaries") });
  project.write({
    "../canaries": `${all.join("\n")}\n`,
    "../loud.sh": loud(rounds),
    "../home/.npmrc": `//registry.example.org/:_authToken=${canaries.home}\n`,
    ".env": `DB_PASSWORD='${canaries.env}'\n`,
    "../agent.sh": `cat > /dev/null; . ${join(project.place, "loud.sh")}
while IFS= read -r c; do git commit -q --allow-empty -m "mine $c"; echo work > "$HARNESS_TASK_ID-work.txt"; done < "$CANARIES"
case $HARNESS_TASK_ID in task-001) exit 0 ;; task-002) exit 7 ;; task-003) kill -SEGV $$ ;; *) exit 0 ;; esac\n`,
    "harness-init.sh": `. ${join(project.place, "loud.sh")}\n`,
    ".harness/config.json": JSON.stringify({
      setup: { command: `. ${join(project.place, "loud.sh")}`, share: [".env"] },
    }),
  });
  project.git("remote", "add", "origin", `https://me:${canaries.remote}@example.invalid/x.git`);
  return project;
}

test("PR-15: what agents, validations, set-ups, cleanups, titles and verbs say of secrets is nowhere afterwards", async () => {
  const project = await scene();
  const script = join(project.place, "loud.sh");
  const said: Ended[] = [];
  const say = async (...args: readonly string[]) => said.push(await project.harness(...args));
  await say("init", "--yes");
  const judged = `. ${script}; test -f $(ls *-work.txt | head -1)`;
  const limits = ["--max-attempts", "1"];
  await say("add", `Fine ${canaries.variable}`, "--validate", judged, "--description", all.join(" "));
  await say("add", `Fails ${canaries.env}`, "--validate", judged, "--cleanup", `. ${script}; exit 3`, ...limits);
  await say("add", `Crashes ${canaries.home}`, "--validate", judged, ...limits);
  await say("add", `Judged badly ${canaries.remote}`, "--validate", `. ${script}; exit 1`, ...limits);
  // Run as it is, but shown nowhere.
  await say("add", "Command", "--validate", `test ${canaries.variable} && exit 1`, ...limits);
  const { length: before } = said;
  const agent = ["--agent-command", `sh ${join(project.place, "agent.sh")}`];
  await say("run", "--trust-all", "--json", ...agent);
  const verbs = (secret: string): readonly (readonly string[])[] => [
    ["add", secret, "--depends-on", secret],
    ["approve", secret],
    ["deny", secret, "--note", secret],
    ["retry", secret],
    ["reset", secret],
    ["edit", secret, "--title", secret],
    ["logs", secret],
    ["trust", "accept", secret],
    ["rescue", "show", secret],
    ["accept", secret],
    ["open", secret],
    ["validate", secret],
    ["run", `--${secret}`],
  ];
  const spoken = verbs("").map((_, verb) => verbs(all[verb % all.length] ?? "")[verb] ?? []);
  for (const verb of spoken) await say(...verb);
  const transcripts = ["logs task-001", "logs task-001 --raw", "logs task-001 --output"];
  for (const look of [
    "status",
    "tasks",
    "logs",
    "rescue list",
    "trust",
    "status --json",
    "tasks --json",
    ...transcripts,
  ])
    await say(...look.split(" "));
  expect(said[before]?.code, said[before]?.stderr).toBe(11);

  const printed = said.flatMap(({ stdout, stderr }) => [stdout, stderr]).map((text) => Buffer.from(text));
  const left = everythingUnder(project.place).filter(({ path }) => !isGiven(relative(project.place, path)));
  const sinks = [...printed.map((bytes, n) => ({ path: `output ${n}`, bytes })), ...left];
  const forms = all.flatMap(written);
  const hits = sinks.flatMap(({ path, bytes }) =>
    forms.filter((form) => bytes?.includes(form)).map((form) => `${relative(project.place, path)}: ${form}`),
  );
  // A command is kept as it was accepted, in the journal alone.
  const isCommand = (hit: string) => /^state\/[0-9a-f]+\/journal\.db[^:]*: c4n4ry-variable/.test(hit);
  expect(hits.filter((hit) => !isCommand(hit))).toEqual([]);
  const messages = project.git("log", "--all", "--format=%B").split("\n");
  expect(messages.filter((line) => all.some((secret) => line.includes(secret)))).toEqual([]);
  const counted = readFileSync(join(project.place, "canaries.count"), "utf8").trim().split("\n");
  const places = counted.reduce((sum, line) => sum + Number(line), 0) + spoken.length + all.length * 4;
  expect(places).toBeGreaterThan(1_000);
  recordNumbers(
    ["PR-15"],
    `${places} canaries said in a real run and its commands; ${sinks.length} files and outputs searched: 0 held one`,
  );

  const open = left.filter(({ path, mode, bytes }) => {
    const name = relative(project.place, path);
    const isOurs = /^(state\/|home\/\.local\/share\/harness)/.test(name) && !/\/(lanes|archive|trash)\//.test(name);
    return isOurs && (mode & (bytes === null ? 0o077 : 0o177)) !== 0 && !/\.git\//.test(name);
  });
  expect(open.map(({ path, mode }) => `${relative(project.place, path)} ${mode.toString(8)}`)).toEqual([]);
}, 600_000);

/** Put there by the test, or work of agents, which is theirs. */
const isGiven = (name: string): boolean =>
  /^(canaries|home\/\.npmrc|project\/\.env|project\/\.git\/config|loud\.sh)$/.test(name) ||
  /^state\/[0-9a-f]+\/(lanes|archive|vault|rescue\.git)\//.test(name) ||
  /^project\/\.git\/(objects|worktrees)\//.test(name);

test("PR-15: add and edit say so when a command holds what looks like a secret, without showing it", async () => {
  const project = createTestProject();
  await project.must("init", "--yes");
  const key = `sk-${"a1b2c3d4".repeat(3)}`;
  const added = await project.must("add", "A", "--validate", `curl -H 'X-Key: ${key}' localhost`);
  expect(added.stderr).toMatch(
    /^note: a command of task-001 holds what looks like a secret, .* harness edit task-001\n$/,
  );
  const edited = await project.must("edit", "task-001", "--validate", 'curl -H "X-Key: $KEY" localhost');
  expect(edited.stderr).toBe("");
  const again = await project.must("edit", "task-001", "--cleanup", `echo ${key}`);
  expect(again.stderr).toContain("note: a command of task-001 holds what looks like a secret");
  expect(added.stderr + again.stderr + again.stdout).not.toContain(key);
});
