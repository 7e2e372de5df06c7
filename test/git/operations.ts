// Everything of ours that starts git, as one story in order. Whoever adds a call of git adds what leads to it here:
// git-calls.test.ts compares the verbs in src/ with those that the story reached.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "../../src/protocol/failure.ts";
import {
  createCloneWorkspaces,
  describeRepository,
  dropPutAway,
  excludeFromGit,
  filesOf,
  ignoredPaths,
  planPush,
  putAwayIn,
  restorePutAway,
  uncommittedFiles,
} from "../../src/workspaces/index.ts";
import type { ArchiveRequest, Candidate } from "../../src/workspaces/workspace.ts";
import { tellAccepted } from "./accepted.ts";
import { tellInPlace, tellLinked } from "./chosen-workspaces.ts";
import { plain } from "./trapped.ts";

export interface Scene {
  readonly checkout: string;
  readonly home: string;
  /** Plants the traps once more, in a git directory that others could write. */
  plant(gitDir: string, workTree: string): Promise<void>;
}

interface Lane extends ArchiveRequest {
  readonly base: string;
}

export interface Story extends Scene {
  readonly workspaces: ReturnType<typeof createCloneWorkspaces>;
  readonly lanes: Map<string, Lane>;
  readonly candidates: Map<string, Candidate>;
}

export class Refused extends Error {}
/** An operation that fails where it should not is no proof of silence. */
function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Refused(`${outcome.failure.message} ${outcome.failure.evidence ?? ""}`);
  return outcome.value;
}

const messageOf = (task: string): string => `${task}: work\n\nHarness-Task: ${task}\nHarness-Attempt: 1\n`;

async function open(story: Story, task: string, slot: number, more: { fence?: number; resume?: Candidate } = {}) {
  const { fence = 1, resume = null } = more;
  const opened = must(await story.workspaces.open({ slot, task, attempt: 1, fence, resume }));
  if (opened.merged) throw new Error(`${task} is merged already`);
  story.lanes.set(task, { path: opened.path, base: opened.base, task, attempt: 1, fence });
  return opened;
}

function laneOf(story: Story, task: string): Lane {
  const lane = story.lanes.get(task);
  if (lane === undefined) throw new Error(`${task} was not opened`);
  return lane;
}

/** Once in vain, once for other inputs, and taken away again. */
async function prepare({ workspaces }: Story, path: string): Promise<void> {
  const request = { path, fence: 1, inputs: ["*.md", "--output=x"], salt: "" };
  const make = async (): Promise<Outcome<null>> => {
    await writeFile(join(path, "made.log"), "made\n");
    return { ok: true, value: null };
  };
  for (const salt of ["one", "one", "two"]) must(await workspaces.prepare({ ...request, salt }, make));
  must(await workspaces.prepare(request, null));
}

async function commit(story: Story, task: string): Promise<Candidate> {
  const { path, base } = laneOf(story, task);
  const candidate = must(await story.workspaces.commit({ path, base, message: messageOf(task) }));
  story.candidates.set(task, candidate);
  return candidate;
}

const merge = async (story: Story, task: string, candidate: Candidate) =>
  must(await story.workspaces.merge({ candidate, task, attempt: 1 }));

type Operation = readonly [name: string, perform: (story: Story) => Promise<unknown>];

export const operations: readonly Operation[] = [
  ["describe", async ({ checkout }) => must(await describeRepository(checkout))],
  ["uncommitted", async ({ checkout }) => must(await uncommittedFiles(checkout))],
  ["ignored", async ({ checkout }) => must(await ignoredPaths(checkout, ["one.txt", "x.log"]))],
  ["exclude", async ({ checkout }) => must(await excludeFromGit(checkout, ["/.harness/"]))],
  [
    "open",
    async (story) => {
      for (const [slot, task] of ["first", "second", "third"].entries()) await open(story, task, slot);
    },
  ],
  ["prepare", (story) => prepare(story, laneOf(story, "first").path)],
  [
    "an agent works",
    async (story) => {
      for (const [task, { path }] of story.lanes) {
        await writeFile(join(path, "one.txt"), `${"line\n".repeat(5)}${task}\n`);
        await writeFile(join(path, `${task}.txt`), "x\n");
        for (let i = 0; i < (task === "second" ? 40 : 1); i += 1)
          await writeFile(join(path, `${task}-${i}.md`), `${i}\n`);
        if (task !== "third") await plain(path, "add", "--all");
        if (task !== "third") await plain(path, "commit", "--quiet", "--message", "by the agent");
        if (task === "second") await plain(path, "repack", "-a", "-d", "-l", "-q");
        await story.plant(join(path, ".git"), path);
      }
      await writeFile(join(laneOf(story, "third").path, "one.txt"), "one\n");
    },
  ],
  [
    "collect",
    async ({ workspaces, lanes }) => {
      const lane = lanes.get("second");
      if (lane === undefined) throw new Error("second was not opened");
      await mkdir(join(lane.path, "search_results"));
      await writeFile(join(lane.path, "search_results", "one.txt"), "found\n");
      const { results } = must(await workspaces.collect(lane));
      if (results.length !== 1) throw new Error("one result was left");
    },
  ],
  ["inspect", async (story) => must(await story.workspaces.inspect({ ...laneOf(story, "first"), standing: true }))],
  ["commit", (story) => commit(story, "first")],
  ["commit many files", (story) => commit(story, "second")],
  ["commit again", (story) => commit(story, "first")],
  [
    "proof",
    async (story) => {
      const { commit: id } = story.candidates.get("first") ?? { commit: "" };
      const { path } = must(await story.workspaces.proof({ slot: 0, commit: id }));
      await story.plant(join(path, ".git"), path);
      await writeFile(join(path, "one.txt"), "changed by a gate\n");
      must(await story.workspaces.proof({ slot: 0, commit: id }));
      await prepare(story, path);
      must(await story.workspaces.proof({ slot: 0, commit: id, apart: 7 }));
    },
  ],
  ["merge", async (story) => merge(story, "first", story.candidates.get("first") ?? (await commit(story, "first")))],
  [
    "merge on a head that moved",
    async (story) => {
      const late = await merge(story, "third", await commit(story, "third"));
      if (!late.merged) throw new Error("on the present head it must be merged");
      return merge(story, "second", story.candidates.get("second") ?? (await commit(story, "second")));
    },
  ],
  [
    "conflict",
    async (story) => {
      const { path, base } = laneOf(story, "second");
      const outcome = await story.workspaces.commit({ path, base, message: messageOf("second") });
      if (outcome.ok || outcome.failure.kind !== "merge_conflict") throw new Error("both changed one.txt");
    },
  ],
  [
    "rebase and commit what was resolved",
    async (story) => {
      const lane = laneOf(story, "second");
      const { base, kept } = must(await story.workspaces.rebase(lane));
      story.lanes.set("second", { ...lane, base });
      await story.plant(join(lane.path, ".git"), lane.path);
      const request = { path: lane.path, base, message: messageOf("second"), kept };
      const outcome = await story.workspaces.commit(request);
      if (outcome.ok || outcome.failure.kind !== "unresolved") throw new Error("one.txt holds both sides");
      await writeFile(join(lane.path, "one.txt"), "both\n");
      story.candidates.set("second", must(await story.workspaces.commit(request)));
    },
  ],
  [
    "questions about objects that are not there",
    async (story) => {
      const missing = "1".repeat(40);
      await story.workspaces.proof({ slot: 0, commit: missing });
      const candidate = { commit: missing, parent: missing };
      await story.workspaces.merge({ candidate, task: "missing", attempt: 1 });
    },
  ],
  ["close", async (story) => must(await story.workspaces.close(laneOf(story, "first")))],
  ["archive", async (story) => must(await story.workspaces.archive(laneOf(story, "second")))],
  [
    "look at what was put away, restore it, drop it",
    async ({ checkout, home }) => {
      const kept = must(await putAwayIn(home));
      if (kept.length === 0) throw new Error("something was put away");
      for (const [place, one] of kept.entries()) {
        must(await filesOf(home, one));
        must(await restorePutAway(home, one, join(home, `restored-${place}`)));
        must(await dropPutAway(checkout, home, one));
      }
    },
  ],
  ["open what was given back", (story) => open(story, "fifth", 0, { fence: 2 })],
  [
    "open with earlier work",
    async (story) => {
      const resume = story.candidates.get("second");
      await open(story, "fourth", 1, { fence: 2, ...(resume && { resume }) });
      await open(story, "fourth", 1, { fence: 3, ...(resume && { resume }) });
    },
  ],
  [
    "accept",
    async ({ workspaces, checkout }) => {
      must(await workspaces.trial({ branch: null, tried: null }));
      must(await planPush(checkout, "harness/mission-x"));
      await writeFile(join(checkout, "one.txt"), "one\n");
      // What becomes of it depends on the trap: attributes that convert files are a reason to refuse.
      const wish = { mission: "x", tasks: null, branch: null, otherwise: "checked-out" } as const;
      for (const squash of [true, false]) await workspaces.accept({ ...wish, squash, branch: "ahead" });
      for (const squash of [true, false]) await workspaces.accept({ ...wish, squash });
    },
  ],
  [
    "drop",
    async ({ workspaces, candidates }) => {
      const { commit = "" } = candidates.get("first") ?? {};
      must(await workspaces.drop({ commit, message: "Drop first" }));
      must(await workspaces.drop({ commit, message: "Drop first" }));
    },
  ],
];

export interface Told {
  /** Why nothing could be done in place, if so. */
  readonly unfit: string | null;
  /** Why nothing could be brought into the user's checkout, if so. */
  readonly held: string | null;
}

export async function tell(scene: Scene): Promise<Told> {
  const options = { repository: scene.checkout, home: scene.home, branch: "harness/mission-x", rootPrefix: "" };
  const workspaces = createCloneWorkspaces(options);
  const story: Story = { ...scene, workspaces, lanes: new Map(), candidates: new Map() };
  let [unfit, held]: [string | null, string | null] = [null, null];
  const chosen: readonly Operation[] = [
    [
      "accept into the checkout",
      async () => {
        held = await tellAccepted({ ...scene, must });
      },
    ],
    ["linked work trees", () => tellLinked({ ...scene, must })],
    [
      "in place",
      async () => {
        unfit = await tellInPlace({ ...scene, must });
      },
    ],
  ];
  for (const [name, perform] of [...operations, ...chosen])
    await perform(story).catch((error: unknown) => {
      if (error instanceof Refused) error.message = `${name}: ${error.message}`;
      throw error;
    });
  return { unfit, held };
}
