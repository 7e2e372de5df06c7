// What a kill cannot show: that data is synced before anything relies on it, and all of it before it is acknowledged.
//
// Compared as a whole with what `synchronous = FULL` and `journal_mode = TRUNCATE` promise, and with rule F4.
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { agentCommand, beginnings, stage, wholeRun } from "./operations.ts";
import type { Scene } from "./scene.ts";
import { type Call, requireStrace } from "./strace.ts";
import { projectOf } from "./truth.ts";

beforeAll(requireStrace);

const watched = [
  ...["write", "pwrite64", "writev", "pwritev", "sendfile", "copy_file_range", "ftruncate", "fsync", "fdatasync"],
  ...["rename", "renameat", "renameat2", "link", "linkat", "unlink", "sync_file_range", "io_uring_setup"],
];

/** The steps of an operation on files of the mission, and its words; neighbours that are equal count once. */
async function stepsOf(name: string): Promise<readonly string[]> {
  const operation = beginnings.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  const scene = await stage(operation);
  onTestFinished(() => scene.remove());
  const { calls, code } = await scene.traced(operation.args, { calls: watched, onlyItself: true });
  expect([code, calls.filter((call) => call.name === "io_uring_setup")]).toEqual([0, []]);
  const home = (await projectOf(scene))?.home ?? "";
  const steps = calls.flatMap((call) => stepOf(call, scene, home));
  return steps.filter((step, at) => step !== steps[at - 1]);
}

function stepOf({ name, path, line }: Call, scene: Scene, home: string): readonly string[] {
  if (name === "write" && /^\d+\s+write\(1</.test(line)) return ["acknowledge"];
  // Both a lock and its owner may vanish in a power cut: then nobody holds it.
  if (!path.startsWith(scene.live) || path.includes("/views.lock") || isGlance(path)) return [];
  const short = (file: string) =>
    file
      .replace(home, "home")
      .replace(scene.root, "project")
      .replace(/\.[0-9a-f-]{36}\.tmp$/, ".tmp");
  const to =
    line
      .split('", ')
      .at(1)
      ?.match(/"([^"]*)"/)?.[1] ?? /, "([^"]*)"\)/.exec(line)?.[1];
  if (name.startsWith("rename") || name.startsWith("link")) return [`${name} ${short(path)} → ${short(to ?? "")}`];
  const verb = { fsync: "sync", fdatasync: "sync", ftruncate: "truncate", unlink: "unlink" }[name] ?? "write";
  return [`${verb} ${short(path)}`];
}

const transaction = [
  "write home/journal.db-journal",
  "sync home/journal.db-journal",
  "sync home",
  // Only now the rollback journal says how much of it counts.
  "write home/journal.db-journal",
  "sync home/journal.db-journal",
  "write home/journal.db",
  "sync home/journal.db",
  "truncate home/journal.db-journal",
  "sync home/journal.db-journal",
];
const replaced = (path: string, folder = join(path, "..")) => {
  const temporary = `${folder}/.${path.slice(folder.length + 1)}.tmp`;
  return [`write ${temporary}`, `sync ${temporary}`, `rename ${temporary} → ${path}`, `sync ${folder}`];
};
const tasksFile = (hasOld: boolean) => [
  ...replaced("home/tasks-view.json"),
  "write project/harness-tasks.json.tmp",
  "sync project/harness-tasks.json.tmp",
  ...(hasOld
    ? [
        "link project/harness-tasks.json → project/harness-tasks.json.bak.new",
        "rename project/harness-tasks.json.bak.new → project/harness-tasks.json.bak",
      ]
    : []),
  "rename project/harness-tasks.json.tmp → project/harness-tasks.json",
  "sync project",
];

/** Not synced: one of an earlier boot is never used. */
const isGlance = (path: string): boolean => /\/views\/(status|tasks)\.json/.test(path);

test("PR-1, F4: add syncs the rollback journal, the journal and each view in this order, then it says so", async () => {
  const wanted = [...transaction, ...tasksFile(true), ...replaced("project/.harness/hook.json"), "acknowledge"];
  expect(await stepsOf("add")).toEqual(wanted);
});

test("PR-2, F4, N1: views that are made anew are synced before their names, and the log before its mark", async () => {
  expect(await stepsOf("publish")).toEqual([
    "sync project",
    ...replaced("home/views.json"),
    "write project/harness-progress.txt",
    "sync project/harness-progress.txt",
    ...replaced("home/views.json"),
    ...tasksFile(false),
    ...replaced("project/.harness/hook.json"),
    "acknowledge",
  ]);
});

test("PR-1: a large candidate comes as a pack, and the pack and its index are synced before a reference names it", async () => {
  const scene = await stage(wholeRun);
  onTestFinished(() => scene.remove());
  const args = wholeRun.args.map((arg) =>
    arg === agentCommand ? `${arg}; for n in $(seq 40); do echo $n > $n; done` : arg,
  );
  const { calls } = await scene.traced(args, { calls: watched });
  const folder = join(scene.root, ".git/objects/pack");
  const isSynced = (path: string): boolean => calls.some((call) => call.name.includes("sync") && call.path === path);
  const kinds = ["tmp_pack_", "tmp_idx_"].map((kind) => {
    const written = calls.filter(({ name, path }) => name.includes("write") && path.startsWith(join(folder, kind)));
    return [...new Set(written.map(({ path }) => path))].map(isSynced);
  });
  expect(kinds).toEqual([[true], [true]]);
});
