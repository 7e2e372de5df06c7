// The part of the story that is told in workspaces by choice: linked work trees, and the user's own checkout. Nobody runs
// plain git there, for that would run what the traps name by itself.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "../../src/protocol/failure.ts";
import { checkedOutBranch, createInPlaceWorkspaces, createWorktreeWorkspaces } from "../../src/workspaces/index.ts";
import type { Candidate, Workspaces } from "../../src/workspaces/workspace.ts";

type Must = <T>(outcome: Outcome<T>) => T;
interface Told {
  readonly checkout: string;
  readonly home: string;
  readonly must: Must;
}

const messageOf = (task: string): string => `${task}: work\n\nHarness-Task: ${task}\nHarness-Attempt: 1\n`;

function verbsOf(workspaces: Workspaces, must: Must) {
  const open = async (task: string, { slot = 0, resume = null as Candidate | null } = {}) => {
    const opened = must(await workspaces.open({ slot, task, attempt: 1, fence: 1, resume }));
    if (opened.merged) throw new Error(`${task} is merged already`);
    return { path: opened.path, base: opened.base, task, attempt: 1, fence: 1 };
  };
  type Lane = Awaited<ReturnType<typeof open>>;
  const commit = async ({ path, base, task }: Lane) =>
    must(await workspaces.commit({ path, base, message: messageOf(task) }));
  const merge = async (lane: Lane, candidate: Candidate) => {
    const merged = must(await workspaces.merge({ candidate, task: lane.task, attempt: 1 }));
    if (!merged.merged) throw new Error(`${lane.task} must be merged`);
  };
  return { open, commit, merge };
}

/** Made, set up, merged and removed; overtaken, brought onto the new head, put away. */
export async function tellLinked({ checkout, home: beside, must }: Told): Promise<void> {
  const home = `${beside}-linked`;
  const branch = "harness/mission-linked";
  const workspaces = createWorktreeWorkspaces({ repository: checkout, home, branch, rootPrefix: "" });
  const { open, commit, merge } = verbsOf(workspaces, must);
  const [first, second] = [await open("linked-1"), await open("linked-2", { slot: 1 })];
  for (const salt of ["one", "two"])
    must(
      await workspaces.prepare({ path: first.path, fence: 1, inputs: ["*.md"], salt }, async () => {
        await writeFile(join(first.path, "made.log"), "made\n");
        return { ok: true, value: null };
      }),
    );
  for (const { path, task } of [first, second]) await writeFile(join(path, "one.txt"), `${task}\n`);
  must(await workspaces.inspect(second));
  const overtaken = await commit(second);
  await merge(first, await commit(first));
  must(await workspaces.close(first));
  must(await workspaces.rebase(second));
  must(await workspaces.archive(second));
  const again = await open("linked-3", { resume: overtaken });
  must(await workspaces.archive(again));
}

/** Rolled back once, merged once. Answers why it was refused: bytes that git would convert are not taken. */
export async function tellInPlace({ checkout, home: beside, must }: Told): Promise<string | null> {
  const branch = must(await checkedOutBranch(checkout));
  const options = { repository: checkout, home: `${beside}-here`, branch, rootPrefix: "", withChanges: true };
  const workspaces = createInPlaceWorkspaces(options);
  const { open, commit, merge } = verbsOf(workspaces, must);
  const fit = await workspaces.open({ slot: 0, task: "here-1", attempt: 1, fence: 1 });
  if (!fit.ok) return fit.failure.message;
  const first = await open("here-1");
  await writeFile(join(first.path, "one.txt"), "in vain\n");
  must(await workspaces.archive(first));
  const second = await open("here-2");
  await writeFile(join(second.path, "here.txt"), "here\n");
  must(await workspaces.inspect(second));
  await merge(second, await commit(second));
  must(await workspaces.close(second));
  must(await workspaces.accept({ mission: "x", tasks: null, squash: false, branch: null, otherwise: "checked-out" }));
  return null;
}
