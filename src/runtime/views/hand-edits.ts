// A hand edit of harness-tasks.json is a request (rule F6): found before the file is written again, followed where it
// is harmless, asked about where it decides what is run, refused and kept as evidence otherwise.
import { join } from "node:path";
import { emptyState } from "../../core/empty-state.ts";
import { fold } from "../../core/evolve/evolve.ts";
import type { ReadonlyState } from "../../core/state.ts";
import { type Edit, editsIn } from "../../core/tasks-file/edits.ts";
import { readTasksFile } from "../../core/tasks-file/read.ts";
import { renderTasksFile, type Shown } from "../../core/tasks-file/write.ts";
import { writeFileAtomic } from "../../kit/atomic-file.ts";
import { makeFolder } from "../../kit/make-folder.ts";
import { redacted } from "../../kit/secret-matcher.ts";
import type { AdoptedPlan } from "../../protocol/adopted.ts";
import type { Command } from "../../protocol/input.ts";
import { decodeEvent } from "../../protocol/upgrade.ts";
import { tasksFile } from "../place.ts";
import { sha256 } from "../trust.ts";
import { readRegular } from "./durable-file.ts";
import type { EditSource, ViewSource } from "./view-source.ts";

/** One writing of the file, and the position of the state it was written from. */
interface WrittenMark {
  readonly hash: string;
  readonly position: number;
}
/** Whoever writes ten thousand tasks into the file gets no ten thousand lines of log for them. */
const refusalsNamed = 20;

/** At most two, in the state home out of an agent's reach: after a crash the file is the one or the other. */
const marksFile = (home: string): string => join(home, "tasks-view.json");

async function writtenMarks(home: string): Promise<readonly WrittenMark[]> {
  const text = (await readRegular(marksFile(home)))?.text;
  return text === undefined ? [] : (JSON.parse(text) as WrittenMark[]);
}

/**
 * Must be called before the file is replaced by what the mark describes. The mark of what is there now is kept,
 * whichever it is: writings that failed in between have left marks of files that never were.
 */
export async function rememberWritten(home: string, mark: WrittenMark, present: string | null): Promise<void> {
  const kept = (await writtenMarks(home)).filter(({ hash }) => hash === present).slice(-1);
  await writeFileAtomic(marksFile(home), JSON.stringify([...kept, mark]));
}

export interface EditPlace {
  readonly root: string;
  readonly home: string;
  readonly source: EditSource;
  /** Commands as the file shows them. */
  readonly shown: Shown;
}

/** Must be called before the file is replaced, under the lock of the views. */
export async function importHandEdits({ root, home, source, shown }: EditPlace): Promise<void> {
  const marks = await writtenMarks(home);
  const mark = marks.at(-1);
  const present = mark === undefined ? null : await readRegular(tasksFile(root));
  if (mark === undefined || present === null) return;
  const hash = sha256(present.text);
  if (marks.some((written) => written.hash === hash)) return;
  const plan = readTasksFile(present.text, "harness-tasks.json");
  if (!plan.ok) {
    await keepEvidence(home, shown(present.text));
    await source.submit({ type: "edit.refuse", task: null, field: "harness-tasks.json", why: plan.failure.message });
    return;
  }
  const then = await stateAt(source, mark.position);
  // Written by another version of ours: what it said cannot be told from what was changed.
  if (sha256(renderTasksFile(then, shown)) !== mark.hash) return;
  const before = renderTasksFile(then);
  const wanted = withCommandsOf(plan.value, then, shown);
  const { edits, running } = await source.look((state) => ({
    edits: editsIn(before, wanted, state),
    running: state.runs.size > 0,
  }));
  const asked = new Set(edits.flatMap((edit) => (edit.kind === "ask" ? [edit.task] : [])));
  // Without its command a task could not be judged, and would stop the run that is on: it is not added either.
  const postponed = new Set(
    edits.flatMap((edit) => (running && edit.kind === "add" && asked.has(edit.task.id) ? [edit.task.id] : [])),
  );
  const commands = edits.flatMap((edit) => {
    if (edit.kind === "add" && postponed.has(edit.task.id)) return [later(edit.task.id, "id")];
    if (edit.kind !== "ask") return [commandFor(edit, running)];
    if (postponed.has(edit.task)) return [];
    const isHidden = JSON.stringify(edit.change).includes(redacted);
    return [isHidden ? hidden(edit.task, Object.keys(edit.change).join(", ")) : commandFor(edit, running)];
  });
  const refusals = commands.filter(({ type }) => type === "edit.refuse");
  if (refusals.length > 0) await keepEvidence(home, shown(present.text));
  for (const command of commands.filter(({ type }) => type !== "edit.refuse")) await source.submit(command);
  for (const refusal of refusals.slice(0, refusalsNamed)) await source.submit(refusal);
  const rest = refusals.length - refusalsNamed;
  if (rest > 0) await source.submit(notNamed(rest));
}

function commandFor(edit: Edit, running: boolean): Command {
  switch (edit.kind) {
    case "add":
      return { type: "task.add", task: { ...edit.task, extra: edit.extra } };
    case "edit":
      return { type: "task.edit", task: edit.task, change: edit.change };
    case "refuse":
      return { type: "edit.refuse", task: edit.task, field: edit.field, why: edit.why };
    case "ask": {
      const fields = Object.keys(edit.change).join(", ");
      if (running) return later(edit.task, fields);
      const question = `change ${fields} of ${edit.task}? was ${JSON.stringify(edit.was)}, wants ${JSON.stringify(edit.wants)}`;
      const name = `edit-${edit.task}-${sha256(JSON.stringify(edit.wants)).slice(0, 6)}`;
      return { type: "approval.ask", name, task: edit.task, question, change: edit.change };
    }
  }
}

/** What was shown without its secret and was not changed is meant as it is. */
function withCommandsOf(plan: AdoptedPlan, then: ReadonlyState, shown: Shown): AdoptedPlan {
  const meant = <T extends string | null>(written: T, own: T | undefined): T =>
    own !== undefined && own !== null && written === shown(own) ? own : written;
  const tasks = plan.tasks.map((task) => {
    const own = then.tasks.get(task.spec.id)?.spec;
    const { validation, cleanup } = task.spec;
    const judged = validation && {
      ...validation,
      command: meant(validation.command, own?.validation?.command),
      quick: meant(validation.quick, own?.validation?.quick),
    };
    return { ...task, spec: { ...task.spec, validation: judged, cleanup: meant(cleanup, own?.cleanup) } };
  });
  return { ...plan, tasks };
}

const hidden = (task: string, field: string): Command => ({
  type: "edit.refuse",
  task,
  field,
  why: "it is shown without its secrets here; change it with: harness edit",
});

const later = (task: string, field: string): Command => ({
  type: "edit.refuse",
  task,
  field,
  why: "a command is not taken up while a run is on; edit it again afterwards",
});

const notNamed = (rest: number): Command => ({
  type: "edit.refuse",
  task: null,
  field: "harness-tasks.json",
  why: `${rest} more changes are refused like these; the file is kept as it was`,
});

async function keepEvidence(home: string, text: string): Promise<void> {
  await makeFolder(join(home, "edits"), 0o700);
  await writeFileAtomic(join(home, "edits", `${sha256(text).slice(0, 16)}.json`), text);
}

/** The state a file was written from. Rare – only after an edit – so the journal is simply folded again. */
async function stateAt(source: ViewSource, position: number): Promise<ReadonlyState> {
  const state = emptyState();
  while (state.position < position) {
    const events = await source.read(state.position, Math.min(10_000, position - state.position));
    if (events.length === 0) break;
    fold(
      state,
      events.map((event) => decodeEvent(event)),
    );
  }
  return state;
}
