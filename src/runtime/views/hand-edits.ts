// A hand edit of harness-tasks.json is a request (rule F6): found before the file is written again, followed where it
// is harmless, asked about where it decides what is run, refused and kept as evidence otherwise.
import { join } from "node:path";
import { emptyState } from "../../core/empty-state.ts";
import { fold } from "../../core/evolve/evolve.ts";
import type { ReadonlyState } from "../../core/state.ts";
import { type Edit, editsIn } from "../../core/tasks-file/edits.ts";
import { readTasksFile } from "../../core/tasks-file/read.ts";
import { renderTasksFile } from "../../core/tasks-file/write.ts";
import { writeFileAtomic } from "../../kit/atomic-file.ts";
import { makeFolder } from "../../kit/make-folder.ts";
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
}

/** Must be called before the file is replaced, under the lock of the views. */
export async function importHandEdits({ root, home, source }: EditPlace): Promise<void> {
  const marks = await writtenMarks(home);
  const mark = marks.at(-1);
  const present = mark === undefined ? null : await readRegular(tasksFile(root));
  if (mark === undefined || present === null) return;
  const hash = sha256(present.text);
  if (marks.some((written) => written.hash === hash)) return;
  const plan = readTasksFile(present.text, "harness-tasks.json");
  if (!plan.ok) {
    await keepEvidence(home, present.text);
    await source.submit({ type: "edit.refuse", task: null, field: "harness-tasks.json", why: plan.failure.message });
    return;
  }
  const before = renderTasksFile(await stateAt(source, mark.position));
  // Written by another version of ours: what it said cannot be told from what was changed.
  if (sha256(before) !== mark.hash) return;
  const { edits, running } = await source.look((state) => ({
    edits: editsIn(before, plan.value, state),
    running: state.runs.size > 0,
  }));
  const asked = new Set(edits.flatMap((edit) => (edit.kind === "ask" ? [edit.task] : [])));
  const commands = edits.map((edit) =>
    // Without its command the task could not be judged, and would stop the run that is on.
    running && edit.kind === "add" && asked.has(edit.task.id) ? later(edit.task.id, "id") : commandFor(edit, running),
  );
  if (commands.some(({ type }) => type === "edit.refuse")) await keepEvidence(home, present.text);
  for (const command of commands) await source.submit(command);
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

const later = (task: string, field: string): Command => ({
  type: "edit.refuse",
  task,
  field,
  why: "a command is not taken up while a run is on; edit it again afterwards",
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
