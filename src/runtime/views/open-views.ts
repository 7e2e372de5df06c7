// The views of one project, and the files by which people ask for more care: what a mission is given in compose.ts.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { renderTasksFile } from "../../core/tasks-file/write.ts";
import type { Lookout } from "../../kit/process-lock.ts";
import type { Failure } from "../../protocol/failure.ts";
import { watchedFiles } from "../glance-file.ts";
import type { Environment } from "../place.ts";
import type { SignalFiles, Views } from "../ports.ts";
import type { Project } from "../project.ts";
import { importHandEdits, rememberWritten } from "./hand-edits.ts";
import { createPublisher } from "./publisher.ts";
import { signalsFolder, watchSignals } from "./signals.ts";
import type { EditSource } from "./view-source.ts";

interface ViewOptions {
  readonly env: Environment;
  readonly processes: Lookout;
  readonly onTrouble: (failure: Failure) => void;
  /** Commands as they may be shown; everything else in the journal has no secrets. */
  readonly shown: (command: string) => string;
}

export const openViews = (
  { root, home }: Project,
  source: EditSource,
  { env, processes, onTrouble, shown }: ViewOptions,
): Views =>
  createPublisher({
    root,
    home,
    source,
    processes,
    render: (state) => renderTasksFile(state, shown),
    onTrouble,
    watched: watchedFiles(root, env),
    importEdits: () => importHandEdits({ root, home, source, shown }),
    beforeReplace: (hash, position, present) => rememberWritten(home, { hash, position }, present),
  });

export const signalFiles = (root: string): SignalFiles => ({
  watch: (on) => watchSignals({ root, on }),
  async clear(name) {
    // Whatever has that name: what cannot be removed asks again, which is on the side of care.
    await rm(join(signalsFolder(root), name), { force: true, recursive: true }).catch(() => undefined);
  },
});
