// What programs print, kept on disk: redacted first, then in files of the state home that keep their newest part. A disk
// that cannot take it stops nothing: that is told once, and the ends of the output are in memory all the same.
import { basename, join } from "node:path";
import { causeOf } from "../../kit/file-error.ts";
import { createLineBatches } from "../../kit/line-batches.ts";
import type { Redactor } from "../../kit/redact.ts";
import { createRotatedFile, olderPart, type RotatedFile } from "../../kit/rotated-file.ts";
import type { RecordOutput } from "../../protocol/agent.ts";
import type { Effect } from "../../protocol/effect.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { TaskId } from "../../protocol/ids.ts";
import type { OutputKeeping } from "../../protocol/resources.ts";
import { filesOf, Shelf, type ShelvedFile } from "./shelf.ts";

export interface OutputRecorder {
  /** The program waits while it is pending. Never rejects. */
  readonly record: RecordOutput;
  /** What was held back is written. Never rejects. */
  close(): Promise<void>;
}

export interface OutputFiles {
  /** `what` it is, as a part of a file's name; a name that was used before is gone on with. */
  open(effect: Effect, what: string): OutputRecorder;
}

export interface OutputOptions {
  /** The state home. */
  readonly home: string;
  readonly keeping: OutputKeeping;
  readonly redactor: Redactor;
  readonly onTrouble: (failure: Failure) => void;
}

const megabyte = 1_048_576;
/** A longer line comes in pieces, so that an endless one cannot fill the memory. */
const maxLineLength = 65_536;

const outputFolder = (home: string): string => join(home, "output");

/** Of a task's programs, oldest first. */
export const keptOutput = (home: string, task: TaskId): Promise<readonly ShelvedFile[]> =>
  filesOf(join(outputFolder(home), task));
export { olderPart };

/** What a file of them holds, by its name: `<attempt>-<what>.log`, or `<attempt>-<what>.<form>.log`. */
export interface Output {
  readonly attempt: number;
  readonly what: string;
  /** Whose driver reads it; null: it is plain text. */
  readonly form: string | null;
}

export function outputOf(path: string): Output {
  const [, attempt, what, form] = /^(\d+)-(.*?)(?:\.([^.]+))?\.log$/.exec(basename(path)) ?? [];
  return { attempt: Number(attempt ?? 0), what: what ?? "", form: form ?? null };
}

/** No task's id begins with an underscore. */
const folderOf = (effect: Effect): string => (effect.kind === "session.prepare" ? "_session" : effect.task);
const numberOf = (effect: Effect): number => (effect.kind === "session.prepare" ? effect.session : effect.attempt);

export function createOutputFiles({ home, keeping, redactor, onTrouble }: OutputOptions): OutputFiles {
  const folder = outputFolder(home);
  const shelf = new Shelf(folder, { maxBytes: keeping.maxTotalMb * megabyte, maxFiles: keeping.maxFiles });
  const told = new Set<string>();
  const tell = (error: unknown): void => {
    const code = String(error instanceof Error && "code" in error ? error.code : "");
    if (told.has(code)) return;
    told.add(code);
    onTrouble({
      kind: "env_setup",
      message: `what programs print cannot be kept: ${causeOf(error)}`,
      remedy: "the run goes on; see that the state home can be written",
    });
  };
  return {
    open(effect, what) {
      const path = join(folder, folderOf(effect), `${numberOf(effect)}-${what}.log`);
      const file = createRotatedFile({ path, maxBytes: keeping.maxFileMb * megabyte });
      const keep = (work: Promise<void>): Promise<void> => work.catch(tell);
      const streams = { stdout: createStream(redactor), stderr: createStream(redactor) };
      return {
        record: (text, stream) => keep(writeAll(file, streams[stream].push(text))),
        async close() {
          for (const stream of Object.values(streams)) await keep(writeAll(file, stream.flush()));
          await keep(file.close());
          if (file.size() > 0) await keep(shelf.took(path, file.size()));
        },
      };
    },
  };
}

async function writeAll(file: RotatedFile, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) await file.write(piece);
}

/** Whole lines, so that two streams do not tear each other's. */
function createStream(redactor: Redactor) {
  const redacting = redactor.stream();
  const batches = createLineBatches(maxLineLength);
  return {
    push: (text: string) => batches.push(redacting.push(text)),
    flush: () => [...batches.push(redacting.flush()), ...batches.flush()],
  };
}
